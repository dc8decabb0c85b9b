import { LOOK, PLAN, SKILL, SPEECH } from './common-specs.ts'
import { named, type ToolSpec, type ToolTable } from './tool-table.ts'

const WEB: ToolSpec = { args: {}, rest: 'web' }
/** What is typed may be sent, or only looked for. */
const BROWSER: ToolSpec = { args: { text: 'unknown' }, rest: 'executes' }
const SHELL: ToolSpec = { args: { cmd: 'shell', command: 'shell', timeout: 'describes', restart: 'describes' } }

/**
 * Inspect (UKGovernmentBEIS/inspect_ai): the tools of src/inspect_ai/tool/_tools, and the agents' of src/inspect_ai/agent. Tools that a
 * task defines itself are in no table.
 */
export const INSPECT_TOOLS: ToolTable = {
  bash: SHELL,
  python: { args: { code: 'code', cmd: 'code' } },
  code_execution: { args: { code: 'code', command: 'shell' } },
  bash_session: { args: { action: 'describes', input: 'keystrokes' } },
  ...{ read_file: LOOK, list_files: LOOK, grep: { args: {}, rest: 'searches' } },
  ...named(WEB, 'web_search web_browser_go web_browser_back web_browser_forward web_browser_refresh'),
  web_browser_scroll: LOOK,
  ...named(BROWSER, 'web_browser_click web_browser_type web_browser_type_submit'),
  computer: { args: { text: 'keystrokes' }, rest: 'describes' },
  memory: { args: { command: 'describes', path: 'reads' }, rest: 'writes', target: 'path' },
  skill: SKILL,
  ...named(PLAN, 'think update_plan todo_write'),
  submit: SPEECH,
}
