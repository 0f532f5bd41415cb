import { field, type Scalar, type TypedField } from "../../mod/schema/mod.ts";

/** Tables with a name, RT_TABLE_… of linux/rtnetlink.h; all others are written as their number. */
export const ROUTING_TABLES = { unspec: 0, default: 253, main: 254, local: 255 } as const;

const names = new Map<number, string>(Object.entries(ROUTING_TABLES).map(([name, number]) => [number, name]));

/** `main`, or `100`: the name of a table, or its number where it has none. */
export function routingTableName(table: number): string {
  return names.get(table) ?? String(table);
}

/** Number of a table that {@link routingTableName} wrote; 0 for anything else. */
export function routingTableNumber(name: string): number {
  return Object.hasOwn(ROUTING_TABLES, name) ? ROUTING_TABLES[name as keyof typeof ROUTING_TABLES] : Number(name) || 0;
}

const UINT32 = field.uint32().shape as Scalar<number>;
const EXPECTED = `a routing table: ${Object.keys(ROUTING_TABLES).join(", ")}, or a number`;

const ROUTING_TABLE: Scalar<string> = {
  ...UINT32,
  expected: EXPECTED,
  json: { type: "string" },
  zero: "unspec",
  isZero: (name) => name === "unspec" || name === "",
  write: (writer, name) => UINT32.write(writer, routingTableNumber(name)),
  read: (reader, length) => routingTableName(UINT32.read(reader, length)),
  parse(plain) {
    const name = String(plain);
    if (Object.hasOwn(ROUTING_TABLES, name)) return name;
    if (!/^[0-9]{1,10}$/.test(name) || Number(name) >= 2 ** 32) throw new SyntaxError(`expected ${EXPECTED}`);
    return routingTableName(Number(name));
  },
  format: (name) => name,
};

/** A field that holds a routing table by name. */
export function routingTable(number: number): TypedField<string, false> {
  return { ...field.of(ROUTING_TABLE), number };
}
