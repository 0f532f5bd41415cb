import type { HealthCheck } from "./health.ts";

/** Client certificate and authority for a health check over TLS, PEM. */
export interface HealthTls {
  ca: string;
  cert: string;
  key: string;
}

/** Asks an HTTP address; healthy is an answer of 200. */
export function httpHealth(url: string, tls?: HealthTls): HealthCheck {
  return {
    async check(signal) {
      const { status, body } = await get(url, tls, signal);
      if (status !== 200) throw new Error(`Answer is ${status} ${body.trim().slice(0, 200)}`);
    },
  };
}

/** node:http, which the API has loaded anyway: fetch() would bring a second HTTP client and its certificate store. */
async function get(url: string, tls: HealthTls | undefined, signal: AbortSignal) {
  const http = tls === undefined ? await import("node:http") : await import("node:https");
  return await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = http.request(url, { ...tls, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => body += text);
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    signal.addEventListener("abort", () => request.destroy(new Error("No answer in time")), { once: true });
    request.on("error", reject);
    request.end();
  });
}
