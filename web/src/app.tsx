import { useEffect, useRef } from 'preact/hooks'
import { useLoad } from './api.ts'
import { usePlace } from './location.ts'
import { matchRoute } from './routes.tsx'
import { Rubrics } from './rubrics.ts'
import type { RubricView } from './types.ts'
import { listenToKeys } from './ui/keyboard.ts'
import { Layout } from './ui/layout.tsx'

/** The page that the address names, inside of the layout. */
export function App() {
  const { path } = usePlace()
  const found = matchRoute(path)
  // Who is not signed in yet may ask nothing.
  const rubrics = useLoad('listRubrics', path === '/audit/sign-in' ? null : {})
  useEffect(listenToKeys, [])
  useEffect(() => {
    document.title = `${found?.route.title ?? 'No such page'} · Veridict audit`
  }, [found?.route.title])
  // Another page is another place for the keyboard and for screen readers.
  const before = useRef(path)
  useEffect(() => {
    if (before.current !== path) document.getElementById('main')?.focus({ preventScroll: true })
    before.current = path
  }, [path])
  return (
    <Rubrics.Provider value={rubrics.value?.items ?? NONE}>
      <Layout path={path}>
        {found ? (
          <found.route.page key={path} id={found.id} />
        ) : (
          <>
            <h1>No such page</h1>
            <p>
              Nothing of the audit is at this address. <a href="/audit/grades">Grades</a> are a place to begin.
            </p>
          </>
        )}
      </Layout>
    </Rubrics.Provider>
  )
}

const NONE: readonly RubricView[] = []
