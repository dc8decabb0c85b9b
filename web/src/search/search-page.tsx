import type { JSX } from 'preact'
import { usePlace } from '../location.ts'
import { Empty, FIRST_COMMAND } from '../ui/empty.tsx'
import { Trouble } from '../ui/load-view.tsx'
import { formatCount, plural } from '../words.ts'
import { FoundTrialView } from './found-trial.tsx'
import { SearchForm } from './search-form.tsx'
import { useSearch } from './use-search.ts'

/** Where a text stands in all that is stored. */
export function SearchPage(): JSX.Element {
  const text = usePlace().query.get('q') ?? ''
  return (
    <>
      <h1>Search</h1>
      <SearchForm text={text} />
      {text.trim() === '' ? (
        <Empty>
          Type what to look for: a command, a path, a line of output. It is taken as it stands, in capitals or not.
        </Empty>
      ) : (
        <Results key={text} text={text} />
      )}
    </>
  )
}

function Results({ text }: { readonly text: string }): JSX.Element {
  const search = useSearch(text)
  const { found, searched, unread, total, next, running, error, goOn, stop } = search
  return (
    <>
      <div class="search-progress">
        <p role="status">
          {searched === 0 && running
            ? 'Searching…'
            : `Looked through ${formatCount(searched)} of ${plural(total, 'run')}`}
          {searched > 0 && `: ${formatCount(found.length)} ${found.length === 1 ? 'holds' : 'hold'} the text`}
          {unread > 0 && `; ${formatCount(unread)} could not be read`}
        </p>
        {running && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        {!running && (next !== null || error !== null || searched === 0) && total !== searched && (
          <button type="button" onClick={goOn}>
            Go on
          </button>
        )}
      </div>
      {error !== null && <Trouble what="what was found" message={error.message} />}
      <ol class="found">
        {found.map((trial) => (
          <FoundTrialView key={trial.trajectory} trial={trial} text={text} />
        ))}
      </ol>
      {!running && error === null && next === null && found.length === 0 && <NothingFound total={total} />}
    </>
  )
}

const NothingFound = ({ total }: { readonly total: number }) =>
  total === 0 ? (
    <Empty command={FIRST_COMMAND}>
      Nothing is stored yet. This grades the bundled examples; any folder of trajectories may stand in their place.
    </Empty>
  ) : (
    <Empty>No run holds this text. Try fewer words: all of it has to stand in one place, with the same spaces.</Empty>
  )
