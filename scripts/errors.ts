// Every error that the package can make, read from the source. `npm run errors`

import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import ts from "typescript";

/** One place in the source where an error is made. */
export interface ErrorSite {
  /** The class, or `Refusal` for what the sandbox answers. */
  readonly kind: string;
  /** Undefined where only the service, or the platform, knows it. */
  readonly code: string | undefined;
  /** The message, with its variable parts as they are written. */
  readonly message: string;
  readonly place: string;
}

const root = resolve(import.meta.dirname, "..");
const { config } = ts.readConfigFile(resolve(root, "tsconfig.json"), ts.sys.readFile);
const { fileNames } = ts.parseJsonConfigFileContent({ ...config, include: ["src"] }, ts.sys, root);

/** All places, in the order of files and lines. */
export function errorSites(): ErrorSite[] {
  return fileNames.flatMap((fileName) => {
    const text = readFileSync(fileName, "utf8");
    const file = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
    return sitesIn(file, file);
  });
}

function sitesIn(node: ts.Node, file: ts.SourceFile): ErrorSite[] {
  const inner: ErrorSite[] = [];
  node.forEachChild((child) => void inner.push(...sitesIn(child, file)));
  const made = errorMadeBy(node);
  if (made === undefined) return inner;
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  const place = `${relative(root, file.fileName)}:${line + 1}`;
  const { kind, codes, message } = made;
  return [...codes.map((code) => ({ kind, code, message: textOf(message), place })), ...inner];
}

interface MadeError {
  readonly kind: string;
  readonly codes: readonly (string | undefined)[];
  readonly message: ts.Expression | undefined;
}

/** What `new SomeError(message, { code })`, or a call that refuses a request, makes. */
function errorMadeBy(node: ts.Node): MadeError | undefined {
  if (ts.isNewExpression(node) && /Error(Class)?$/.test(node.expression.getText())) {
    const kind = node.expression.getText();
    const [first, second] = node.arguments ?? [];
    if (/^(Type|Range|Usage)?Error$/.test(kind) || first === undefined) return undefined;
    if (kind === "WebhookVerificationError")
      return { kind, codes: literals(first), message: second };
    return { kind, codes: literals(property(second, "code")), message: first };
  }
  const refuses =
    (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
    /^(invalidRequest|Refusal)$/.test(node.expression.getText());
  if (!refuses) return undefined;
  const facts = node.arguments?.at(-1);
  const code = property(facts, "code");
  if (code === undefined) return undefined;
  return { kind: "Refusal", codes: literals(code), message: property(facts, "message") };
}

function property(node: ts.Expression | undefined, name: string): ts.Expression | undefined {
  if (node === undefined || !ts.isObjectLiteralExpression(node)) return undefined;
  for (const member of node.properties) {
    if (member.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(member)) return member.initializer;
    if (ts.isShorthandPropertyAssignment(member)) return member.name;
  }
  return undefined;
}

/** The texts that an expression may be; undefined among them where that is not to be seen. */
function literals(node: ts.Expression | undefined): readonly (string | undefined)[] {
  if (node === undefined) return [undefined];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return literals(node.expression);
  if (ts.isConditionalExpression(node)) {
    return [...literals(node.whenTrue), ...literals(node.whenFalse)];
  }
  return [undefined];
}

function textOf(node: ts.Expression | undefined): string {
  if (node === undefined) return "";
  if (ts.isBinaryExpression(node)) return textOf(node.left) + textOf(node.right);
  if (ts.isStringLiteralLike(node)) return node.text;
  return node.getText().replace(/^`|`$/g, "").replaceAll(/\s+/g, " ");
}

if (process.argv[1] === import.meta.filename) {
  for (const { kind, code = "(as it comes)", message, place } of errorSites()) {
    console.log(`${kind} ${code}\n  ${message}\n  ${place}\n`);
  }
}
