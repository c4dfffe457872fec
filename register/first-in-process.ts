// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/** True for the first call with this name in the process, by whichever copy of the package. */
export function isFirstInProcess(name: string): boolean {
  const mark = Symbol.for(`mcp-convergence.${name}`);
  if (Object.hasOwn(globalThis, mark)) return false;
  Object.defineProperty(globalThis, mark, { value: true });
  return true;
}
