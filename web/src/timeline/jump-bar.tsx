import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { navigate, readPlace } from '../location.ts'
import { useShortcuts } from '../ui/keyboard.ts'

/** Goes to a step by its number: the number becomes the address. */
export function JumpBar({ first, last }: { readonly first: number; readonly last: number }): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  useShortcuts([{ key: 'g', what: 'go to a step by its number', run: () => field.current?.focus() }])
  return (
    <form
      class="jump"
      onSubmit={(event) => {
        event.preventDefault()
        const step = Number(field.current?.value)
        const { path, query } = readPlace()
        const text = query.toString()
        if (Number.isInteger(step)) navigate(`${path}${text === '' ? '' : `?${text}`}#step-${step}`)
      }}
    >
      <label htmlFor="jump">Step</label>
      <input id="jump" ref={field} type="number" min={first} max={last} placeholder={`${first}–${last}`} required />
      <button type="submit">Go</button>
    </form>
  )
}
