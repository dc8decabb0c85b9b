import type { JSX } from 'preact'
import type { Grade } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { contradictionWords } from '../words.ts'

/** What speaks against the verdict without overturning it. */
export function Objections({ grade }: { readonly grade: Grade }): JSX.Element | null {
  const { contradictions } = grade
  if (contradictions.length === 0) return null
  return (
    <section aria-labelledby="contradictions">
      <h2 id="contradictions">Contradictions</h2>
      <ul>
        {contradictions.map((one) => (
          <li key={`${one.code} ${one.detail}`}>
            <strong>{contradictionWords(one)}</strong>: <HostileText text={one.detail} />
            {one.step_id !== null && (
              <>
                {' '}
                <a href={`#step-${one.step_id}`}>Step {one.step_id}</a>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
