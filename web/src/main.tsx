import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLoad } from './api.ts'
import { followLinks, usePlace } from './location.ts'
import { matchRoute } from './routes.tsx'
import { Rubrics } from './rubrics.ts'
import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/batches.css'
import './styles/grade.css'
import './styles/timeline.css'
import './styles/review.css'
import './styles/comparison.css'
import './styles/report.css'
import type { RubricView } from './types.ts'
import { listenToKeys } from './ui/keyboard.ts'
import { Layout } from './ui/layout.tsx'

const NONE: readonly RubricView[] = []

/** The page of the address, inside of the layout. */
function App() {
  const { path } = usePlace()
  const match = matchRoute(path)
  // A reader without a session may ask nothing.
  const rubrics = useLoad('listRubrics', path === '/audit/sign-in' ? null : {})
  useEffect(listenToKeys, [])
  useEffect(() => {
    document.title = `${match?.route.title ?? 'No such page'} · Veridict audit`
  }, [match?.route.title])
  // Keyboard and screen readers begin at the new page.
  const before = useRef(path)
  useEffect(() => {
    if (before.current !== path) document.getElementById('main')?.focus({ preventScroll: true })
    before.current = path
  }, [path])
  return (
    <Rubrics.Provider value={rubrics.value?.items ?? NONE}>
      <Layout path={path}>
        {match ? (
          <match.route.page key={path} id={match.id} />
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

followLinks()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
