import { EDITOR_LOOKS, LOOK, PLAN, SKILL, SPEECH } from './common.ts'
import { named, type ToolSpec, type ToolTable } from './tool-table.ts'

/**
 * SWE-agent's own tools, as function calls. Source: SWE-agent/SWE-agent, tools/<bundle>/config.yaml (search, windowed, windowed_edit_*,
 * edit_anthropic, submit, web_browser) and config/commands of 0.x. In a trajectory each tool is the first word of a shell line.
 */
export const SWE_AGENT_TOOLS: ToolTable = {
  bash: { args: { command: 'shell' } },
  open: { args: { path: 'reads', line_number: 'describes' } },
  goto: { args: { line_number: 'describes' } },
  create: { args: { filename: 'writes' }, target: 'filename' },
  ...named({ args: {}, rest: 'describes' }, 'scroll_up scroll_down'),
  search_dir: { args: named('searches', 'search_term dir') },
  search_file: { args: named('searches', 'search_term file') },
  find_file: { args: named('searches', 'file_name dir') },
  edit: {
    args: {
      ...{ ...named('writes', 'replacement_text replace'), search: 'removes' },
      ...named('describes', 'start_line end_line replace-all'),
    },
  },
  insert: { args: { text: 'writes', line: 'describes' } },
  filemap: { args: { file_path: 'reads' } },
  view_image: { args: { image_file: 'reads' } },
  ...named({ args: {}, rest: 'speaks' }, 'submit exit_forfeit'),
}

const WEB: ToolSpec = { args: {}, rest: 'web' }
/** A browser tool, whose typed text may be sent, or only searched for. */
const BROWSER: ToolSpec = { args: { text: 'unknown' }, rest: 'executes' }
const SHELL: ToolSpec = { args: { cmd: 'shell', command: 'shell', timeout: 'describes', restart: 'describes' } }

/**
 * Inspect (UKGovernmentBEIS/inspect_ai): the tools of src/inspect_ai/tool/_tools, and the agents' of src/inspect_ai/agent. Tools that a
 * task itself defines are in no table.
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
  memory: {
    args: { command: 'describes', path: 'reads' },
    ...{ rest: 'writes', target: 'path', by: { argument: 'command', cases: EDITOR_LOOKS } },
  },
  skill: SKILL,
  ...named(PLAN, 'think update_plan todo_write'),
  submit: SPEECH,
}

/** terminus-2. Source: harbor, src/harbor/agents/terminus_2/terminus_2.py and its parsers; terminus-1: terminal-bench, terminal_bench/agents/terminus_1.py. */
export const TERMINUS_TOOLS: ToolTable = {
  bash_command: {
    args: { keystrokes: 'keystrokes', ...named('describes', 'duration duration_sec is_blocking timeout_sec') },
  },
  mark_task_complete: { args: {}, rest: 'speaks' },
}
