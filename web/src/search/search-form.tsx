import type { JSX } from 'preact'
import { withQuery } from '../api.ts'
import { navigate } from '../location.ts'

const LONGEST = 200

/** Asks for a text to look for in all trials; the answer is a page of its own. */
export const SearchForm = ({ text = '' }: { readonly text?: string }): JSX.Element => (
  <search class="search-trials">
    <form
      key={text}
      onSubmit={(event) => {
        event.preventDefault()
        const q = String(new FormData(event.currentTarget).get('q') ?? '')
        navigate(withQuery('/audit/search', { q: q.trim() === '' ? '' : q }))
      }}
    >
      <label htmlFor="search-trials">Search in all runs</label>
      <input id="search-trials" name="q" type="search" maxLength={LONGEST} defaultValue={text} />
      <button type="submit">Search</button>
    </form>
  </search>
)
