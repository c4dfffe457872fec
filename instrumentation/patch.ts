// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A patch as an owned, reversible resource. The mark on the wrapper is a registered symbol, so a second copy of this
 * package (ESM beside CJS, or another version) sees that a method is already wrapped and leaves it alone.
 */

// biome-ignore lint/suspicious/noExplicitAny: a wrapper must accept whatever the host's method accepts
export type Method = (this: any, ...args: any[]) => any;

const PATCHED = Symbol.for('mcp-convergence.patched');

export function isPatched(method: unknown): boolean {
  return typeof method === 'function' && PATCHED in method;
}

/**
 * Replaces `target[name]` by `wrap(original)` behind a Proxy, so that name, length and everything else a test double
 * may carry stay visible. Works for inherited methods too: the wrapper becomes an own property.
 * Returns the undo, or undefined when there is no such method or it is wrapped already.
 */
export function applyPatch(target: object, name: string, wrap: (original: Method) => Method): (() => void) | undefined {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== 'function' || isPatched(original)) return undefined;
  const wrapper = wrap(original as Method);
  const proxy = new Proxy(original as Method, {
    apply: (_, self, args) => Reflect.apply(wrapper, self, args),
    has: (callee, key) => key === PATCHED || Reflect.has(callee, key),
  });
  const own = Object.getOwnPropertyDescriptor(target, name);
  const patched = { value: proxy, writable: true, configurable: true, enumerable: own?.enumerable ?? false };
  if (!Reflect.defineProperty(target, name, patched)) return undefined;
  return () => {
    // Somebody else may have wrapped us since; then taking our wrapper out would take theirs out too.
    if (Reflect.get(target, name) !== proxy) return;
    if (own) Object.defineProperty(target, name, own);
    else Reflect.deleteProperty(target, name);
  };
}

/**
 * Tells `done` how a call of the host ended, and returns what the host is to get. For a promise that is a derived one: to
 * attach a handler on the side would mark a rejection as handled that the host leaves unhandled.
 */
export function whenSettled(
  result: unknown,
  done: (outcome: { readonly value: unknown } | { readonly error: unknown }) => void,
): unknown {
  if (!(result instanceof Promise)) {
    done({ value: result });
    return result;
  }
  return result.then(
    (value) => {
      done({ value });
      return value;
    },
    (error) => {
      done({ error });
      throw error;
    },
  );
}
