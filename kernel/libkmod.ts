import { library } from "./ffi.ts";

/** libkmod. Failure is a negative errno; objects are reference-counted. */
export const libkmod = library("libkmod.so.2", {
  // struct kmod_ctx *kmod_new(const char *dirname, const char * const *config_paths); NULL takes the running kernel's
  kmod_new: { parameters: ["buffer", "buffer"], result: "pointer" },
  // struct kmod_ctx *kmod_unref(struct kmod_ctx *ctx)
  kmod_unref: { parameters: ["pointer"], result: "pointer" },
  // int kmod_load_resources(struct kmod_ctx *ctx)
  kmod_load_resources: { parameters: ["pointer"], result: "i32" },
  // int kmod_module_new_from_lookup(struct kmod_ctx *ctx, const char *given_alias, struct kmod_list **list);
  // the caller frees the list
  kmod_module_new_from_lookup: { parameters: ["pointer", "buffer", "buffer"], result: "i32" },
  // int kmod_module_unref_list(struct kmod_list *list); frees `list`
  kmod_module_unref_list: { parameters: ["pointer"], result: "i32" },
  // struct kmod_list *kmod_list_next(const struct kmod_list *list, const struct kmod_list *curr); NULL at the end
  kmod_list_next: { parameters: ["pointer", "pointer"], result: "pointer" },
  // struct kmod_module *kmod_module_get_module(const struct kmod_list *entry); the caller unrefs
  kmod_module_get_module: { parameters: ["pointer"], result: "pointer" },
  // struct kmod_module *kmod_module_unref(struct kmod_module *mod)
  kmod_module_unref: { parameters: ["pointer"], result: "pointer" },
  // const char *kmod_module_get_name(const struct kmod_module *mod); owned by mod
  kmod_module_get_name: { parameters: ["pointer"], result: "pointer" },
  // int kmod_module_probe_insert_module(struct kmod_module *mod, unsigned int flags, const char *extra_options,
  //   int (*run_install)(…), const void *data, void (*print_action)(…)); decompresses, so off the main thread
  kmod_module_probe_insert_module: {
    parameters: ["pointer", "u32", "buffer", "pointer", "pointer", "pointer"],
    result: "i32",
    nonblocking: true,
  },
});
