import type { Coverage, InputState } from '../../schemas/grade.ts'
import type { Trajectory } from './trajectory.ts'

/** Marks by which harnesses cut the output of a tool before the agent reads it. */
const CUT_MARK = new RegExp(
  [
    String.raw`\d{1,12} (?:interior )?(?:tokens|chars|characters|lines|bytes)(?: were)?,? (?:truncated|elided|omitted)`,
    String.raw`output truncated \(|truncated output|results are truncated|\[content truncated\]|\.\.\. ?\[?truncated\]?`,
    String.raw`\[truncated\]|\[output truncated\b|\[\d{1,12} more lines\]`,
    `observation truncated due to length|<persisted-output>|<elided_chars>|<response clipped>`,
  ].join('|'),
  'u',
)
/** Stems of the marks: only text around a stem is held against the marks. */
const STEMS = ['truncated', 'elided', 'omitted', 'persisted-output', 'response clipped', 'more lines]']
const AROUND = 60

/**
 * Tells whether the judge saw what the agent saw: by the reader's finds, the marks of harnesses in tool output, and what the judge was not shown. Text of
 * a run can imitate a mark of a harness, and then the input counts as truncated. Linear.
 */
export function inputStateOf(trajectory: Trajectory, coverage: Coverage): InputState {
  const { compacted = false, unread, steps } = trajectory
  const isCut = steps.some(({ parts }) => parts.some(({ actor, text }) => actor === 'tool_output' && hasCutMark(text)))
  const truncated_by: InputState['truncated_by'] = [
    ...(isCut ? (['harness'] as const) : []),
    ...(coverage.elided_chars > 0 ? (['window'] as const) : []),
  ]
  const missing = { records: unread.records, media: Math.max(0, coverage.media_parts - (coverage.media_shown ?? 0)) }
  const isMissing = missing.records + missing.media > 0
  const state = isMissing
    ? 'parts_missing'
    : truncated_by.length > 0
      ? 'truncated'
      : compacted
        ? 'compacted'
        : 'complete'
  return { state, compacted, truncated_by, missing }
}

function hasCutMark(text: string): boolean {
  const lower = text.toLowerCase()
  return STEMS.some((stem) => {
    for (let at = lower.indexOf(stem); at !== -1; at = lower.indexOf(stem, at + stem.length))
      if (CUT_MARK.test(lower.slice(Math.max(0, at - AROUND), at + AROUND))) return true
    return false
  })
}
