import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ROUTES } from '../routes.tsx'
import { SessionTools } from '../session/session-tools.tsx'
import { KeyboardHelp } from './keyboard-help.tsx'
import { chooseTheme, readTheme, THEMES, type Theme } from './theme.ts'

/** What stands around every page: skip link, navigation, theme, keys. */
export function Layout(props: { readonly path: string; readonly children: ComponentChildren }): JSX.Element {
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
          <ThemeSwitch />
          <KeyboardHelp />
          <SessionTools path={props.path} />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {props.children}
      </main>
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

function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(readTheme)
  return (
    <label class="theme">
      Theme{' '}
      <select
        value={theme}
        onChange={(event) => {
          const chosen = THEMES.find((one) => one === event.currentTarget.value) ?? 'system'
          chooseTheme(chosen)
          setTheme(chosen)
        }}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  )
}
