import { deepStrictEqual } from "node:assert/strict";
import { osRootSecret } from "./root_os.ts";

Deno.test("osRootSecret() tells the addresses of certSANs from the names", () => {
  const { certSANIPs, certSANDNSNames } = osRootSecret({
    certSANs: ["api.example.org", "10.0.0.1", "FD00::0001", "*.example.org", "localhost"],
  });
  deepStrictEqual([certSANIPs, certSANDNSNames], [
    ["10.0.0.1", "fd00::1"],
    ["api.example.org", "*.example.org", "localhost"],
  ]);
});

Deno.test("osRootSecret() accepts the issuing authority before the others, and has none without a certificate", () => {
  const [ca, old] = [{ crt: "new", key: "secret" }, { crt: "old" }];
  deepStrictEqual(osRootSecret({ ca, acceptedCAs: [old], token: "t" }), {
    issuingCA: ca,
    acceptedCAs: [{ crt: "new" }, { crt: "old" }],
    certSANIPs: [],
    certSANDNSNames: [],
    token: "t",
  });
  deepStrictEqual(osRootSecret({}).acceptedCAs, []);
});
