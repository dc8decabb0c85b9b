import type { ComponentChildren, JSX } from 'preact'
import { HostileText } from '../text/hostile-text.tsx'
import type { Load } from '../use-load.ts'

/** Waiting, refused, or what was loaded. */
export function LoadView<T>(props: {
  readonly load: Load<T>
  readonly what: string
  /** Where to go on from something that is not there. */
  readonly list?: { readonly href: string; readonly name: string }
  readonly children: (value: T) => ComponentChildren
}): JSX.Element {
  const { load, what, list, children } = props
  if (load.state === 'failed')
    return (
      <>
        <Trouble what={what} message={load.error.message} />
        {list !== undefined && (
          <p>
            <a href={list.href}>{list.name}</a>
          </p>
        )}
      </>
    )
  if (load.value === null) return <p class="waiting">Loading {what}…</p>
  return <>{children(load.value)}</>
}

/** What the service says of a fault begins small and has no full stop. */
const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`

export const Trouble = ({ what, message }: { readonly what: string; readonly message: string }): JSX.Element => (
  <p class="trouble" role="alert">
    <strong>Cannot show {what}.</strong> <HostileText text={asSentence(message)} />
  </p>
)
