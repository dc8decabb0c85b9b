import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ROUTES } from '../routes.tsx'
import { SessionTools } from '../session/session.tsx'
import { listShortcuts, onShortcutsChange, singleKeysAreOn, switchSingleKeys, useShortcuts } from './keyboard.ts'
import { Confirmation } from './notice.tsx'

/** The frame of every page: skip link, navigation, keys, session. */
export function Layout(props: { readonly path: string; readonly children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#main" data-native>
        Skip to the page
      </a>
      <header class="top">
        <a class="brand" href="/audit/">
          Veridict <span>audit</span>
        </a>
        <Navigation path={props.path} />
        <div class="tools">
          <KeyboardHelp />
          <SessionTools path={props.path} />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {props.children}
      </main>
      <Confirmation />
    </>
  )
}

const Navigation = ({ path }: { readonly path: string }) => (
  <nav aria-label="Pages">
    <ul>
      {ROUTES.filter((route) => route.nav !== undefined).map((route) => (
        <li key={route.path}>
          <a href={`/audit${route.path}`} aria-current={currentOf(route.path, path)}>
            {route.nav}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

function currentOf(route: string, path: string): 'page' | 'true' | undefined {
  const full = `/audit${route}`
  if (path === full || (path === '/audit/' && route === ROUTES[0]?.path)) return 'page'
  return path.startsWith(`${full}/`) ? 'true' : undefined
}

/** The list of the keys of the page, opened by a button and the key `?`. */
function KeyboardHelp() {
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

function Help() {
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
