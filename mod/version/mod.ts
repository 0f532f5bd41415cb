/**
 * Who this program is.
 * @module
 */

/** Name of the product, as the API and the command line show it. */
export const NAME = "Monos";

/** Version of this source, a Git tag. */
export const VERSION = "v0.1.0";

/**
 * What the machine API shows as its version: the release of the API that it speaks, which clients compare with their
 * own, and behind the `+`, which they leave aside, who answers.
 */
export const API_VERSION = `v1.14.0+monos.${VERSION.slice(1)}`;
