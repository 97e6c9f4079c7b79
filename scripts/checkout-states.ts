import type { Page } from "playwright-core";
import type { Sandbox } from "../src/sandbox/index.ts";

type Order = { readonly paymentId: string; readonly secret: string };

/** Attributes shared by all elements in their final state. */
export interface Look {
  readonly theme: "light" | "dark";
  readonly lang: "en" | "ar";
  /** In pixels. */
  readonly width: number;
  readonly columns: number;
}

/** The states in the guide to the element, in reading order: each caption with a function that prepares its payment. */
const states: Readonly<
  Record<string, (sandbox: Sandbox, id: string) => Promise<unknown> | undefined>
> = {
  "Choice of token": () => undefined,
  "Waiting, after a wallet has sent": () => undefined,
  Confirming: async ({ payments }, id) => {
    await payments.simulate(id, "success", { steps: "by-hand" });
    await payments.step(id);
    await payments.step(id);
  },
  Paid: ({ payments }, id) => payments.simulate(id, "success"),
  Overpaid: ({ payments }, id) => payments.simulate(id, "overpayment"),
  Underpaid: ({ payments }, id) => payments.simulate(id, "underpayment"),
  Expired: ({ payments }, id) => payments.simulate(id, "timeout"),
  Failed: () => undefined,
};

/** Shows the element in every state on one page. */
export async function showStates(
  page: Page,
  { sandbox, url, create }: { sandbox: Sandbox; url: string; create: () => Promise<Order> },
  look: Look,
): Promise<void> {
  const orders: (Order & { caption: string })[] = [];
  for (const [caption, arrange] of Object.entries(states)) {
    const order = await create();
    await arrange(sandbox, order.paymentId);
    orders.push({ caption, ...order });
  }
  // The sandbox has no scenario for a payment that fails before any money arrives.
  const failed = orders.at(-1)?.paymentId ?? "";
  await page.route(`**/payments/${failed}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), status: "failed" } });
  });
  await page.addInitScript(announceWallet);
  await page.goto(`${url}/payment/${orders[0]?.paymentId}`);
  await page.evaluate(fill, { orders, baseUrl: url });
  const card = (caption: string) => page.locator(`[data-caption="${caption}"]`);
  await card("Choice of token").locator('[part="qr"] svg').waitFor();
  await card("Waiting, after a wallet has sent").getByRole("button", { name: "Fox" }).click();
  await page.getByText("Fox has sent the payment.").first().waitFor();
  await page.locator('[part="outcome"]').getByText("Nothing arrived in time.").waitFor();
  await page.getByText(/of 10 confirmations/).waitFor();
  await page.getByText("The payment failed").nth(1).waitFor();
  await page.evaluate(wear, look);
  await page
    .getByText(look.lang === "ar" ? "فشلت" : "The payment failed")
    .first()
    .waitFor();
  // The click may have scrolled, and the pointer would show as a hovered button.
  await page.mouse.move(0, 0);
  await page.evaluate(() => scrollTo(0, 0));
}

/** Runs in the page: replaces its content with one element for each order, in columns. */
function fill({ orders, baseUrl }: { orders: { caption: string }[]; baseUrl: string }): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    #states { column-gap: 24px; padding: 24px; background: #f5f7fa; color: #16202e; }
    #states.dark { background: #0d1218; color: #e8edf3; }
    figure { margin: 0 0 24px; break-inside: avoid; }
    figcaption { margin: 0 0 8px; font: 600 15px/1.4 system-ui, sans-serif; }
  `);
  for (const it of document.querySelectorAll("style, link[rel=stylesheet]")) it.remove();
  document.adoptedStyleSheets = [sheet];
  const columns = document.createElement("main");
  columns.id = "states";
  document.body.replaceChildren(columns);
  columns.append(
    ...orders.map(({ caption, ...order }) => {
      const figure = document.createElement("figure");
      const title = document.createElement("figcaption");
      title.textContent = caption;
      const element = document.createElement("settlekit-checkout");
      element.dataset.caption = caption;
      Object.assign(element, { ...order, baseUrl, theme: "light" });
      figure.append(title, element);
      return figure;
    }),
  );
}

/** Runs in the page. */
function wear({ theme, lang, width, columns }: Look): void {
  const main = document.querySelector<HTMLElement>("#states");
  main?.classList.add(theme);
  main?.style.setProperty("columns", String(columns));
  main?.style.setProperty("width", `${columns * (width + 24) - 24}px`);
  for (const element of document.querySelectorAll("settlekit-checkout")) {
    Object.assign(element, { theme, lang });
  }
}

/** Runs in the page: a wallet that sends whatever it is asked to. */
function announceWallet(): void {
  const answers: Readonly<Record<string, unknown>> = {
    eth_requestAccounts: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    eth_chainId: "0x14a34",
    eth_sendTransaction: `0x${"9e3f".repeat(16)}`,
  };
  const provider = { request: async ({ method }: { method: string }) => answers[method] };
  const info = { uuid: "1", name: "Fox", rdns: "fox.example" };
  const announce = () =>
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider } }));
  addEventListener("eip6963:requestProvider", announce);
}
