import { FilteredState, MemoryState } from "../../mod/cosi/mod.ts";
import { testRuntime } from "./runtime_suite.ts";

testRuntime("MemoryState", () =>
  Promise.resolve({
    state: new MemoryState(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));

testRuntime("FilteredState", () =>
  Promise.resolve({
    state: new FilteredState(new MemoryState(), () => {}),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));
