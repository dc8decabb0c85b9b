import { useEffect, useRef } from 'preact/hooks'
import { recall, remember } from './memory.ts'

/** A key that does something on the page that is shown. Where two pages claim a key, the one that came last has it. */
export interface Shortcut {
  /** As `KeyboardEvent.key` says it: `j`, `?`, `Enter`. */
  readonly key: string
  readonly what: string
  readonly run: () => void
}

const active: (readonly Shortcut[])[] = []
const changes = new Set<() => void>()
const KEY = 'veridict.single-keys'

/** Single keys can be switched off, for readers whose software sends keys of its own. */
export const singleKeysAreOn = (): boolean => recall(KEY) !== 'off'
export const switchSingleKeys = (on: boolean): void => remember(KEY, on ? 'on' : 'off')

/** Claims keys while the component is shown. The list may be a new one at every render. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const now = useRef(shortcuts)
  now.current = shortcuts
  const keys = shortcuts.map(({ key, what }) => `${key}\t${what}`).join('\n')
  useEffect(() => {
    const own = keys === '' ? [] : keys.split('\n').map((line, index) => claim(line, () => now.current[index]?.run()))
    active.push(own)
    for (const change of changes) change()
    return () => {
      active.splice(active.indexOf(own), 1)
      for (const change of changes) change()
    }
  }, [keys])
}

function claim(line: string, run: () => void): Shortcut {
  const [key = '', what = ''] = line.split('\t')
  return { key, what, run }
}

/** All keys that work now, for the help. */
export const listShortcuts = (): readonly Shortcut[] => active.flat()

export function onShortcutsChange(listener: () => void): () => void {
  changes.add(listener)
  return () => changes.delete(listener)
}

/** One listener for the whole page. Typing in a field is typing; with a modifier a key belongs to the browser. */
export function listenToKeys(): () => void {
  const listener = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) || !singleKeysAreOn()) return
    const found = listShortcuts().findLast(({ key }) => key === event.key)
    if (found === undefined) return
    event.preventDefault()
    found.run()
  }
  document.addEventListener('keydown', listener)
  return () => document.removeEventListener('keydown', listener)
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) || inDialog(target)
}

const inDialog = (target: HTMLElement): boolean => target.closest('dialog') !== null
