import type { JSX } from 'preact'
import type { Grade } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { formatCount, unreadWords } from '../words.ts'

type Warning = Grade['receipt']['warnings'][number]

const ofAnchor = ({ path }: Warning): boolean => path.startsWith('/ground_truth/')

/** What could not be read of the trajectory, what deviates from its format, and anchors that prove little. */
export function Warnings({ receipt }: Pick<Grade, 'receipt'>): JSX.Element | null {
  const { unread, warnings } = receipt
  const missed = unread !== undefined && unread.records > 0
  if (!missed && warnings.length === 0) return null
  return (
    <section aria-labelledby="warnings">
      <h2 id="warnings">Warnings</h2>
      {missed && (
        <p>
          <strong class="objection">{unreadWords(unread)}.</strong> Something may be missing from what was graded.
        </p>
      )}
      <List title="Anchors that prove little" warnings={warnings.filter(ofAnchor)} open={false} />
      <List
        title="Places where the trajectory deviates from its format"
        warnings={warnings.filter((one) => !ofAnchor(one))}
        open={missed}
      />
    </section>
  )
}

interface ListProps {
  readonly title: string
  readonly warnings: readonly Warning[]
  readonly open: boolean
}

const List = ({ title, warnings, open }: ListProps) =>
  warnings.length === 0 ? null : (
    <details open={open}>
      <summary>
        {title}: {formatCount(warnings.length)}
      </summary>
      <ul class="plain">
        {warnings.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <code>
              <HostileText text={path} />
            </code>{' '}
            <HostileText text={message} />
          </li>
        ))}
      </ul>
    </details>
  )
