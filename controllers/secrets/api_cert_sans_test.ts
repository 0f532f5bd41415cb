import { deepStrictEqual } from "node:assert/strict";
import { apiCertSan } from "./api_cert_sans.ts";

Deno.test("apiCertSan() takes every address and both forms of the name once", () => {
  deepStrictEqual(
    apiCertSan(
      { certSANIPs: ["10.0.0.9"], certSANDNSNames: ["api.example.org", "node1"] },
      { hostname: "node1", domainname: "example.org" },
      ["10.5.0.2/24", "10.0.0.9/32", "fd00::2/64"],
    ),
    {
      ips: ["10.0.0.9", "10.5.0.2", "127.0.0.1", "::1", "fd00::2"],
      dnsNames: ["api.example.org", "localhost", "node1", "node1.example.org"],
      fqdn: "node1.example.org",
    },
  );
});
Deno.test("apiCertSan() serves loopback before there is a name or an address", () => {
  deepStrictEqual(apiCertSan({ certSANIPs: [], certSANDNSNames: [] }, undefined, []), {
    ips: ["127.0.0.1", "::1"],
    dnsNames: ["localhost"],
    fqdn: "",
  });
});
