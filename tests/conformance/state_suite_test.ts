import { FilteredState, MemoryState } from "../../mod/cosi/mod.ts";
import { testState } from "./state_suite.ts";

testState("MemoryState", () =>
  Promise.resolve({
    state: new MemoryState(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));

testState("FilteredState", () =>
  Promise.resolve({
    state: new FilteredState(new MemoryState(), () => {}),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));
