import type { ComponentChildren, JSX } from 'preact'
import { HostileText } from '../text/hostile-text.tsx'
import type { Load } from '../use-load.ts'

/** Waiting, refused, or what was loaded. */
export function LoadView<T>(props: {
  readonly load: Load<T>
  readonly what: string
  readonly children: (value: T) => ComponentChildren
}): JSX.Element {
  const { load, what, children } = props
  if (load.state === 'failed') return <Trouble what={what} message={load.error.message} />
  if (load.value === null) return <p class="waiting">Loading {what}…</p>
  return <>{children(load.value)}</>
}

export const Trouble = ({ what, message }: { readonly what: string; readonly message: string }): JSX.Element => (
  <p class="trouble" role="alert">
    <strong>Cannot show {what}.</strong> <HostileText text={message} />
  </p>
)
