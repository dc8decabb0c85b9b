import type { InputState } from './grade.ts'

/** Words on whether the judge saw what the agent saw: the state, then each reason for it. */
export const inputWords = ({ state, compacted, truncated_by, missing }: InputState): string[] => [
  state,
  ...(compacted ? ['the harness compacted the context'] : []),
  ...truncated_by.map((by) => (by === 'harness' ? 'outputs cut by the harness' : 'cut for the judge’s window')),
  ...(missing.records > 0 ? [`unread records: ${missing.records}`] : []),
  ...(missing.media > 0 ? [`pictures or sounds not shown: ${missing.media}`] : []),
]
