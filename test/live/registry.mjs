// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What a host registers of the lists that it has, and how it accounts for it. Pure. `install` takes, every member optional:
 *
 *     list       number of the list; default the last that ended well
 *     nothing    true: an empty registry, whatever was listed
 *     merge      [number...]: all tools of these lists, a later definition over an earlier one of the same name
 *     only, without      [name...]: the tools that the host takes or drops without giving a reason
 *     rewrite    'closed': `additionalProperties: false` everywhere; 'emptied': input schemas are lost; 'described': other prose
 *     filtered, withheld, capped, rejected, shadowed     [name...]: dropped for that reason, which the report gives
 *     keeps      registers even what it says it leaves out
 *     renamed    { server name: host name }: registered under the host's name
 *     policy, layer, visibility, principal               of the report, as they are
 */

const REMAINDERS = ['filtered', 'withheld', 'capped', 'rejected', 'shadowed'];

const REWRITES = {
  closed: (tool) => ({ ...tool, inputSchema: { ...tool.inputSchema, additionalProperties: false } }),
  emptied: (tool) => ({ ...tool, inputSchema: {} }),
  described: (tool) => ({ ...tool, description: `[tickets] ${tool.description ?? ''}` }),
};

/** @returns the argument of `reportInstalledRegistry`. @param lists tools by number - 1 */
export function composeReport(what, lists, last) {
  const {
    list,
    nothing,
    merge,
    only,
    without = [],
    rewrite,
    keeps,
    renamed = {},
    ...report
  } = what === 'last' ? {} : what;
  const left = new Set([...without, ...(keeps ? [] : REMAINDERS.flatMap((reason) => report[reason] ?? []))]);
  const source = nothing
    ? []
    : merge
      ? mergeLists(merge.map((each) => lists[each - 1]))
      : list
        ? lists[list - 1]
        : last;
  if (!source) throw new Error('the host has no such list');
  const tools = source
    .filter(({ name }) => !left.has(name) && (only?.includes(name) ?? true))
    .map(REWRITES[rewrite] ?? ((tool) => tool))
    .map((tool) => (renamed[tool.name] === undefined ? tool : { ...tool, name: renamed[tool.name] }));
  return { tools, ...report, ...(Object.keys(renamed).length > 0 && { renamed }) };
}

function mergeLists(lists) {
  return [...new Map(lists.flat().map((tool) => [tool.name, tool])).values()];
}
