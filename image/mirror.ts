import { exists } from "./paths.ts";
import { SUITE } from "./root_definition.ts";

/** Where Debian packages come from: base URLs without a slash at their end. */
export interface DebianMirrors {
  archive: string;
  security: string;
}

const DEFAULT_MIRRORS: DebianMirrors = {
  archive: "http://deb.debian.org/debian",
  security: "http://deb.debian.org/debian-security",
};

/** The mirrors that this machine's apt is set up to use if it is Debian, else Debian's own. */
export async function machineMirrors(): Promise<DebianMirrors> {
  const isDebian = await exists("/etc/os-release") && /^ID=debian$/m.test(await Deno.readTextFile("/etc/os-release"));
  if (!isDebian) return DEFAULT_MIRRORS;
  const texts: string[] = [];
  if (await exists("/etc/apt/sources.list")) texts.push(await Deno.readTextFile("/etc/apt/sources.list"));
  if (await exists("/etc/apt/sources.list.d")) {
    for await (const { name } of Deno.readDir("/etc/apt/sources.list.d")) {
      if (/\.(list|sources)$/.test(name)) texts.push(await Deno.readTextFile(`/etc/apt/sources.list.d/${name}`));
    }
  }
  return mirrorsFromSources(texts.join("\n\n"));
}

/**
 * Reads apt's two forms of source lists, one-line and deb822, and takes the first HTTP mirror that has Debian's own
 * suites; other archives are told apart by the path of their URL.
 * @see sources.list(5)
 */
export function mirrorsFromSources(text: string): DebianMirrors {
  const urls = [...text.matchAll(/^(?:deb\s+(?:\[[^\]]*\]\s+)?|URIs:\s*)(https?:\/\/\S+)/gim)].map(([, url]) =>
    (url ?? "").replace(/\/+$/, "")
  );
  return {
    archive: urls.find((url) => /\/debian$/.test(url)) ?? DEFAULT_MIRRORS.archive,
    security: urls.find((url) => /\/debian-security$/.test(url)) ?? DEFAULT_MIRRORS.security,
  };
}

/** One-line source entries for the release that the machine is made of, with its security updates. */
export function sourceLines({ archive, security }: DebianMirrors): string[] {
  return [
    `deb ${archive} ${SUITE} main`,
    `deb ${archive} ${SUITE}-updates main`,
    `deb ${security} ${SUITE}-security main`,
  ];
}
