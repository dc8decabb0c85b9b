/** What the gate is known to let through. A case of one of these is counted apart: why it gets through, and what would have to be there to stop it. */
export const LIMITS = {
  denial: {
    why: '`acted` is denied of an instruction that was followed: a denial cites nothing',
    needed:
      'action anchors and `evidence.denied_acts: refuse` stop it; without anchors a search that understands an act done in other words',
  },
  unrelated_surface: {
    why: '`observed` is claimed, or dated, by real tool output that holds neither instruction, where a search finds neither anywhere: they never came, or a picture shows them',
    needed: 'the picture itself, and a judge or a program that can read it; or `signals.appeared` from the harness',
  },
} as const
export type LimitId = keyof typeof LIMITS
