import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/batches.css'
import './styles/grade.css'
import './styles/timeline.css'
import './styles/session.css'
import './styles/audit.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './location.ts'
import { applyTheme } from './ui/layout.tsx'

applyTheme()
followLinks()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
