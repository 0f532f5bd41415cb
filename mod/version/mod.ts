/**
 * Who this program is.
 * @module
 */

/** Name of the product, as the API and the command line show it. */
export const NAME = "Monos";

/** Version of this source, a Git tag. */
export const VERSION = "v0.1.0";
