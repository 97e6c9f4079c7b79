/**
 * A minimal ERC-20 with six decimals, in EVM assembly: `balanceOf`, `decimals` and `transfer` with its event. An account's
 * balance is stored in the slot with the account's number. Assembled below, without a compiler.
 */
const runtime = `
  PUSH1 00 CALLDATALOAD PUSH1 e0 SHR            ; the selector of the called function
  DUP1 PUSH4 a9059cbb EQ @transfer JUMPI
  DUP1 PUSH4 70a08231 EQ @balanceOf JUMPI
  PUSH4 313ce567 EQ @decimals JUMPI
:fail
  PUSH1 00 DUP1 REVERT

:decimals
  PUSH1 06 @answer JUMP

:balanceOf
  PUSH1 04 CALLDATALOAD SLOAD @answer JUMP

:answer                                         ; returns the word on top of the stack
  PUSH1 00 MSTORE PUSH1 20 PUSH1 00 RETURN

:transfer
  CALLER SLOAD PUSH1 24 CALLDATALOAD            ; amount, balance
  DUP2 DUP2 GT @fail JUMPI                      ; more than there is
  SWAP1 DUP2 SWAP1 SUB CALLER SSTORE            ; amount
  PUSH1 04 CALLDATALOAD DUP1 SLOAD              ; balance of the recipient, recipient, amount
  DUP3 ADD SWAP1 SSTORE                         ; amount
  PUSH1 00 MSTORE
  PUSH1 04 CALLDATALOAD CALLER                  ; topics of Transfer(address,address,uint256)
  PUSH32 ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef
  PUSH1 20 PUSH1 00 LOG3
  PUSH1 01 @answer JUMP
`;

/** Assigns the supply to the deployer, and returns the runtime code, which follows. */
const creation = (supply: bigint, length: string) => `
  PUSH32 ${supply.toString(16).padStart(64, "0")} CALLER SSTORE
  PUSH1 ${length} DUP1 @end PUSH1 00 CODECOPY PUSH1 00 RETURN
`;

const opcodes: Readonly<Record<string, string>> = {
  ADD: "01",
  SUB: "03",
  GT: "11",
  EQ: "14",
  SHR: "1c",
  CALLER: "33",
  CALLDATALOAD: "35",
  CODECOPY: "39",
  MSTORE: "52",
  SLOAD: "54",
  SSTORE: "55",
  JUMP: "56",
  JUMPI: "57",
  PUSH1: "60",
  PUSH4: "63",
  PUSH32: "7f",
  DUP1: "80",
  DUP2: "81",
  DUP3: "82",
  SWAP1: "90",
  LOG3: "a3",
  RETURN: "f3",
  REVERT: "fd",
};

const jumpDestination = "5b";

/** The bytes of a program, in hexadecimal; `end` is where it ends. */
function assemble(source: string): string {
  const places = new Map<string, string>();
  const references: [at: number, name: string][] = [];
  let code = "";
  for (const token of source.replaceAll(/;.*/g, "").trim().split(/\s+/)) {
    if (token.startsWith(":")) {
      places.set(token.slice(1), byte(code.length / 2));
      code += jumpDestination;
    } else if (token.startsWith("@")) {
      // Two characters, like the place that they stand for.
      code += `${opcodes.PUSH1}<>`;
      references.push([code.length - 2, token.slice(1)]);
    } else code += opcodes[token] ?? token;
  }
  places.set("end", byte(code.length / 2));
  for (const [at, name] of references) {
    code = code.slice(0, at) + (places.get(name) ?? "??") + code.slice(at + 2);
  }
  return code;
}

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}

/** The transaction data that deploys the token with a supply for its deployer. */
export function tokenCode(supply: bigint): string {
  const code = assemble(runtime);
  return `0x${assemble(creation(supply, byte(code.length / 2)))}${code}`;
}
