import type { JSX } from 'preact'
import type { Act } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { ACT_OUTCOME_WORDS, ACT_ROLE_WORDS } from '../words.ts'

/** What this argument of a tool call is, and what the record says became of the call: only some of it can prove an act. */
export function ActView({ act }: { readonly act: Act }): JSX.Element {
  const { role, outcome, target } = act
  return (
    <>
      <span class="act">{ACT_ROLE_WORDS[role]}</span>
      {target !== null && (
        <code class="act-target">
          <HostileText text={target} />
        </code>
      )}
      <span class="act" data-outcome={outcome}>
        {ACT_OUTCOME_WORDS[outcome]}
      </span>
    </>
  )
}
