import { useEffect, useRef } from 'preact/hooks'
import { recall, remember } from './memory.ts'

/** A key of the page. The component that came last has a key that two components claim. */
export interface Shortcut {
  /** The key by `KeyboardEvent.key`: `j`, `?`, `Enter`. */
  readonly key: string
  readonly what: string
  readonly run: () => void
}

const active: { readonly current: readonly Shortcut[] }[] = []
const changes = new Set<() => void>()
const KEY = 'veridict.single-keys'

/** Tells whether single keys work: readers whose software sends keys switch them off. */
export const singleKeysAreOn = (): boolean => recall(KEY) !== 'off'
export const switchSingleKeys = (on: boolean): void => remember(KEY, on ? 'on' : 'off')

/** Claims keys while the component is shown. The list may be a new one at every render. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const own = useRef(shortcuts)
  own.current = shortcuts
  const keys = shortcuts.map(({ key, what }) => `${key} ${what}`).join('\n')
  useEffect(() => {
    active.push(own)
    for (const change of changes) change()
    return () => {
      active.splice(active.indexOf(own), 1)
      for (const change of changes) change()
    }
  }, [keys])
}

/** Lists the keys of the page, for the help. */
export const listShortcuts = (): readonly Shortcut[] => active.flatMap(({ current }) => current)

export function onShortcutsChange(listener: () => void): () => void {
  changes.add(listener)
  return () => changes.delete(listener)
}

/** Listens to the keys of the page. Fields keep their keys, and the browser keeps keys with a modifier. */
export function listenToKeys(): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) || !singleKeysAreOn()) return
    const shortcut = listShortcuts().findLast(({ key }) => key === event.key)
    if (shortcut === undefined) return
    event.preventDefault()
    shortcut.run()
  }
  document.addEventListener('keydown', listener)
  return () => document.removeEventListener('keydown', listener)
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, dialog') !== null
}
