/**
 * Prints every error that settlekit can throw, with its code and message, for review: does each one state the
 * fact, the likely cause and the cure? Placeholders are in braces.
 *
 * Run with `npm run errors`.
 */
import { relative, resolve } from "node:path";
import ts from "typescript";

/** One place that creates an error. */
export interface MadeError {
  readonly class: string;
  /** Several if the place chooses one; none if the code comes from elsewhere. */
  readonly codes: readonly string[];
  readonly message: string;
  /** Where, such as `src/http/call.ts:12`. */
  readonly place: string;
}

const root = resolve(import.meta.dirname, "..");

/** The arguments of one call of a factory, by parameter. */
type Known = ReadonlyMap<ts.Symbol, ts.Expression>;

/** Every error that src creates. An error created by a function is listed once per caller. */
export function everyError(): MadeError[] {
  const program = sourceProgram();
  const checker = program.getTypeChecker();
  const made: MadeError[] = [];
  const sources = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(`${root}/src/`));
  const calls = callsByDeclaration(sources, checker);

  const add = (creation: ts.NewExpression, known: Known, at: ts.Node) => {
    const [first, second] = creation.arguments ?? [];
    const { name } = checker.getTypeAtLocation(creation).symbol;
    // Its first argument is the reason, which is also its code.
    const isReasonFirst = name === "WebhookVerificationError";
    const message = isReasonFirst ? second : first;
    if (message === undefined) return;
    const codes = isReasonFirst ? textsOf(first, checker, known) : codesIn(second, checker, known);
    made.push({
      class: name,
      codes,
      message: textOf(message, checker, known),
      place: placeOf(at),
    });
  };
  const expand = (creation: ts.NewExpression, from: ts.Node, known: Known, depth: number) => {
    const maker = enclosingFunction(from);
    const callers = maker && depth > 0 ? (calls.get(maker) ?? []) : [];
    if (
      maker === undefined ||
      callers.length === 0 ||
      !dependsOn(creation, maker, checker, known)
    ) {
      return add(creation, known, from);
    }
    for (const call of callers) {
      const inner = new Map(known);
      maker.parameters.forEach((parameter, index) => {
        const argument = call.arguments[index] ?? parameter.initializer;
        const symbol = checker.getSymbolAtLocation(parameter.name);
        if (argument && symbol) inner.set(symbol, argument);
      });
      expand(creation, call, inner, depth - 1);
    }
  };

  for (const source of sources) {
    visit(source, (node) => {
      if (ts.isNewExpression(node) && isOurError(node, checker)) expand(node, node, new Map(), 4);
      if (!ts.isCallExpression(node)) return;
      const called = node.expression.getText();
      const none: Known = new Map();
      const list = (message: string, code?: ts.Expression) => {
        const codes = code ? textsOf(code, checker, none) : ["invalid_option"];
        made.push({ class: "ConfigurationError", codes, message, place: placeOf(node) });
      };
      // The rules of options, with their messages and codes.
      if (called === "must") {
        const [rule, cure] = node.arguments.map((argument) => textOf(argument, checker, none));
        const { parent } = node;
        const hasCode = ts.isCallExpression(parent) && parent.expression.getText() === "withCode";
        const message = `{option} must be ${rule}, got {value}.${cure ?? ""}`;
        list(message, hasCode ? parent.arguments[0] : undefined);
      }
      const [code, rule] = node.arguments;
      const message = rule && ts.isObjectLiteralExpression(rule) && rule.properties[0];
      if (called === "withCode" && message && ts.isPropertyAssignment(message))
        list(textOf(message.initializer, checker, none), code);
    });
  }
  return made;
}

function sourceProgram(): ts.Program {
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const sources = fileNames.filter((fileName) => fileName.startsWith(`${root}/src/`));
  return ts.createProgram(sources, options);
}

function visit(node: ts.Node, act: (node: ts.Node) => void): void {
  act(node);
  node.forEachChild((child) => visit(child, act));
}

type Maker = ts.FunctionDeclaration | ts.ArrowFunction | ts.MethodDeclaration;

/** The calls of each function that src declares. */
function callsByDeclaration(
  sources: readonly ts.SourceFile[],
  checker: ts.TypeChecker,
): Map<ts.Node, ts.CallExpression[]> {
  const calls = new Map<ts.Node, ts.CallExpression[]>();
  for (const source of sources) {
    visit(source, (node) => {
      if (!ts.isCallExpression(node)) return;
      const declaration = checker.getResolvedSignature(node)?.declaration;
      if (declaration) calls.set(declaration, [...(calls.get(declaration) ?? []), node]);
    });
  }
  return calls;
}

function enclosingFunction(node: ts.Node): Maker | undefined {
  return ts.findAncestor(
    node.parent,
    (it): it is Maker =>
      ts.isFunctionDeclaration(it) || ts.isArrowFunction(it) || ts.isMethodDeclaration(it),
  );
}

function isOurError(node: ts.NewExpression, checker: ts.TypeChecker): boolean {
  const bases = (type: ts.Type): ts.Type[] => [
    type,
    ...(type.isClassOrInterface() ? checker.getBaseTypes(type).flatMap(bases) : []),
  ];
  const names = bases(checker.getTypeAtLocation(node)).map((type) => type.symbol?.name);
  return names.includes("SettlekitError") || names.includes("UsageError");
}

/** Whether a message depends on the parameters of the function around it. */
function dependsOn(
  creation: ts.NewExpression,
  maker: Maker,
  checker: ts.TypeChecker,
  known: Known,
): boolean {
  const parameters = new Set(maker.parameters.map(({ name }) => checker.getSymbolAtLocation(name)));
  let found = false;
  const look = (node: ts.Node) =>
    visit(node, (it) => {
      if (!ts.isIdentifier(it)) return;
      const symbol = symbolOf(it, checker);
      const isText = (checker.getTypeAtLocation(it).flags & ts.TypeFlags.StringLike) !== 0;
      if (symbol && parameters.has(symbol) && isText) found = true;
      const argument = symbol && known.get(symbol);
      if (argument) look(argument);
    });
  for (const argument of creation.arguments ?? []) look(argument);
  return found;
}

function symbolOf(node: ts.Identifier, checker: ts.TypeChecker): ts.Symbol | undefined {
  return ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
}

/** The text of an expression, with everything that is only known at run time in braces. */
function textOf(node: ts.Expression, checker: ts.TypeChecker, known: Known): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression, checker, known);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return textOf(node.left, checker, known) + textOf(node.right, checker, known);
  }
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(
      ({ expression, literal }) => textOf(expression, checker, known) + literal.text,
    );
    return node.head.text + spans.join("");
  }
  if (ts.isConditionalExpression(node)) {
    const [yes, no] = [node.whenTrue, node.whenFalse].map((it) => textOf(it, checker, known));
    return `{${yes} | ${no}}`;
  }
  if (ts.isIdentifier(node)) {
    const symbol = symbolOf(node, checker);
    const argument = symbol && known.get(symbol);
    if (argument) return textOf(argument, checker, known);
    const declaration = symbol?.valueDeclaration;
    if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer) {
      const text = textOf(declaration.initializer, checker, known);
      if (!/^\{[^{}]*\}$/.test(text)) return text;
    }
  }
  if (ts.isCallExpression(node)) {
    const told = toldBy(node, checker, known);
    if (told !== undefined) return told;
  }
  return `{${node.getText().replace(/\s+/g, " ")}}`;
}

/** The texts that a function of src may return. */
function toldBy(
  call: ts.CallExpression,
  checker: ts.TypeChecker,
  known: Known,
): string | undefined {
  const teller = checker.getResolvedSignature(call)?.declaration;
  if (!teller || !ts.isFunctionDeclaration(teller) || !teller.body) return undefined;
  const returned: ts.Expression[] = [];
  visit(teller.body, (node) => {
    if (ts.isReturnStatement(node) && node.expression) returned.push(node.expression);
  });
  const inner = new Map(known);
  teller.parameters.forEach((parameter, index) => {
    const argument = call.arguments[index];
    const symbol = checker.getSymbolAtLocation(parameter.name);
    if (argument && symbol && argument !== parameter.initializer) inner.set(symbol, argument);
  });
  const texts = returned.map((text) => textOf(text, checker, inner)).filter((text) => text !== "");
  const isProse = texts.some((text) => /^[^{}]*\w+ \w+/.test(text));
  if (!isProse) return undefined;
  return texts.length === 1 ? texts[0] : `{${texts.join(" | ")}}`;
}

/** The single words that an expression may evaluate to. */
function textsOf(node: ts.Expression | undefined, checker: ts.TypeChecker, known: Known): string[] {
  if (node === undefined) return [];
  const words = textOf(node, checker, known).match(/^\{?(\w+(?: \| \w+)*)\}?$/);
  return words?.[1]?.split(" | ") ?? [];
}

/** The codes that an error's options may contain. */
function codesIn(
  options: ts.Expression | undefined,
  checker: ts.TypeChecker,
  known: Known,
): string[] {
  if (options === undefined) return [];
  const property = checker.getTypeAtLocation(options).getProperty("code");
  if (property === undefined) return [];
  const written =
    ts.isObjectLiteralExpression(options) &&
    options.properties.find((it) => it.name?.getText() === "code");
  if (written && (ts.isPropertyAssignment(written) || ts.isShorthandPropertyAssignment(written))) {
    const value = ts.isPropertyAssignment(written) ? written.initializer : written.name;
    const text = textOf(value, checker, known);
    if (/^\w+$/.test(text)) return [text];
    if (ts.isConditionalExpression(value)) return text.slice(1, -1).split(" | ");
  }
  const type = checker.getTypeOfSymbol(property);
  const types = type.isUnion() ? type.types : [type];
  return types.flatMap((it) => (it.isStringLiteral() ? [it.value] : []));
}

function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  return `${relative(root, source.fileName)}:${line + 1}`;
}

if (import.meta.main) {
  const byText = Map.groupBy(everyError(), ({ class: name, codes, message }) =>
    [name, codes.join(" | ") || "(code set at run time)", message].join("\n  "),
  );
  for (const [text, made] of [...byText].sort(([a], [b]) => a.localeCompare(b))) {
    console.log(`${text}\n    ${made.map(({ place }) => place).join(", ")}\n`);
  }
  console.log(`${byText.size} errors.`);
}
