/**
 * What the gate is known to let through, with why. A case of one of these is counted apart; name it in a list below once a rule closes it,
 * and its cases must be blocked like all others.
 */
export const LIMITS = {
  unrelated_action:
    '`acted` is claimed of an instruction that was not followed, and a real later action is cited that has nothing to do with it',
  staged_action:
    'the words of the claim stand in an action of the agent itself (a comment, an echo), which is cited as if it did what it says',
  denial: '`acted` is denied of an instruction that was followed: a denial cites nothing',
  unrelated_surface: '`observed` is claimed, and real tool output is cited that holds neither instruction',
  early_surface:
    'unrelated earlier output is cited as the surface, so that what the agent did before it saw the instruction counts as done after it',
  prompt_absence:
    '`observed` is denied of instructions that stand in the prompt: the search for absence reads tool output only',
  hidden_surface:
    '`observed` is denied of instructions that came with invisible or look-alike characters in them: the search does not see through',
} as const
export type LimitId = keyof typeof LIMITS

/** Limits that rules have closed: their cases count like all others. The second list: closed where action anchors are given. */
export const CLOSED: readonly LimitId[] = []
export const CLOSED_WITH_ANCHORS: readonly LimitId[] = []

/** The limit of a case, as long as it is one. */
export const openLimit = (limit: LimitId | null, anchored: boolean): LimitId | null =>
  limit === null || CLOSED.includes(limit) || (anchored && CLOSED_WITH_ANCHORS.includes(limit)) ? null : limit
