import { strictEqual, throws } from "node:assert/strict";
import { sysctlId, sysctlPath } from "./sysctl.ts";

const cases = [
  { name: "net.ipv4.ip_forward", path: "/proc/sys/net/ipv4/ip_forward" },
  { name: "net/ipv4/ip_forward", path: "/proc/sys/net/ipv4/ip_forward" },
  { name: "net.ipv4.conf.eth0/100.rp_filter", path: "/proc/sys/net/ipv4/conf/eth0.100/rp_filter" },
  { name: "net/ipv4/conf/eth0.100/rp_filter", path: "/proc/sys/net/ipv4/conf/eth0.100/rp_filter" },
];
for (const { name, path } of cases) {
  Deno.test(`sysctlPath() of ${name}`, () => strictEqual(sysctlPath(sysctlId(name)), path));
}
Deno.test("sysctlPath() does not leave its tree", () => {
  throws(() => sysctlPath(sysctlId("net.//.//.etc")), RangeError);
  throws(() => sysctlPath("proc.sys..x"), RangeError);
});
