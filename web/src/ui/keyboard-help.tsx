import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { listShortcuts, onShortcutsChange, singleKeysAreOn, switchSingleKeys, useShortcuts } from './keyboard.ts'

/** The button and the key `?`, and what they open: every key that works on this page. */
export function KeyboardHelp(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const [open, setOpen] = useState(false)
  const show = () => setOpen(true)
  useShortcuts([{ key: '?', what: 'show this help', run: show }])
  useEffect(() => {
    if (open) dialog.current?.showModal()
  }, [open])
  return (
    <>
      <button type="button" class="quiet" onClick={show} aria-haspopup="dialog">
        Keys <kbd>?</kbd>
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title" class="keys" onClose={() => setOpen(false)}>
        {open && <Help />}
      </dialog>
    </>
  )
}

function Help(): JSX.Element {
  const [, update] = useState(0)
  const [on, setOn] = useState(singleKeysAreOn)
  useEffect(() => onShortcutsChange(() => update((turn) => turn + 1)), [])
  return (
    <>
      <h2 id="keys-title">Keys on this page</h2>
      <table>
        <tbody>
          {listShortcuts().map(({ key, what }) => (
            <tr key={`${key} ${what}`}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label class="check">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            switchSingleKeys(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />{' '}
        Single keys do something
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </>
  )
}
