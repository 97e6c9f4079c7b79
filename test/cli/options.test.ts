import { describe, expect, test } from "vitest";
import { instant, port, webUrl } from "../../src/cli/options.ts";

describe("option values", () => {
  test("a port is a whole number up to 65535", () => {
    expect([port.parse("0"), port.parse("65535")]).toMatchObject([{ value: 0 }, { value: 65_535 }]);
    for (const text of ["", "65536", "-1", "1.5", "0x10", "1e3", " 80"]) {
      expect(port.parse(text)).toMatchObject({ success: false });
    }
  });

  test("a URL is complete, and http or https", () => {
    expect(webUrl.parse("http://127.0.0.1:3000/a?b=c")).toMatchObject({
      value: new URL("http://127.0.0.1:3000/a?b=c"),
    });
    for (const text of ["", "localhost:3000", "/webhooks", "ftp://a/", "javascript:alert(1)"]) {
      expect(webUrl.parse(text)).toMatchObject({ success: false });
    }
  });

  test("a time means the same on every machine", () => {
    const read = (text: string) => {
      const result = instant.parse(text);
      return result.success ? result.value.toISOString() : undefined;
    };
    expect(read("2026-01-01")).toBe("2026-01-01T00:00:00.000Z");
    expect(read("2026-01-01T01:30+02:00")).toBe("2025-12-31T23:30:00.000Z");
    expect(read("2028-02-29")).toBe("2028-02-29T00:00:00.000Z");
    for (const text of ["2026-01-01T00:00", "1", "tomorrow", "2026-13-01", "01/02/2026"]) {
      expect(read(text)).toBeUndefined();
    }
    for (const text of ["2026-02-30", "2026-02-29T12:00:00Z", "2026-04-31", "2026-01-00"]) {
      expect(read(text)).toBeUndefined();
    }
  });
});
