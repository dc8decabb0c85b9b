/** Data sets that are read as their authors publish them, and what of each is read. */
export const DATASETS = {
  'who-and-when': 'Who&When: failed runs of teams of agents (failure-attribution@1)',
  agentrx: 'AgentRx: failed runs of Magentic-One and of τ-bench retail (failure-attribution@1)',
  assebench: 'ASSEBench: runs with a planted instruction, which the judge has to find (injection@1)',
  'assebench-planted': 'those whose description quotes the instruction: the judge is told it (injection@1)',
} as const
export type Dataset = keyof typeof DATASETS
