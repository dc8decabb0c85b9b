import { EDITOR_LOOKS, PLAN, SPEECH } from './common.ts'
import { named, type ToolSpec, type ToolTable } from './tool-table.ts'

/** Arguments that every tool accepts: the risk of the call, its purpose and the thought behind it. */
const ABOUT: ToolSpec['args'] = { security_risk: 'describes', summary: 'describes', thought: 'speaks' }
const tool = (args: ToolSpec['args'], more: Omit<ToolSpec, 'args'> = {}): ToolSpec => ({
  args: { ...ABOUT, ...args },
  ...more,
})

const SHELL = tool({ command: 'shell', is_input: 'describes', timeout: 'describes', reset: 'describes' })
const CODE = tool({ code: 'code' })
const LOOK = tool({}, { rest: 'reads' })
const SEARCH = tool({}, { rest: 'searches' })
const WEB = tool({ url: 'web', new_tab: 'describes' }, { rest: 'web' })
/** A browser tool that clicks, types or runs code: typed text may be sent, or only searched for. */
const BROWSER = tool({ code: 'code', browser_actions: 'code', text: 'unknown' }, { rest: 'executes' })

const target = ['path', 'file_path']
const FILE = tool(
  {
    ...named('writes', 'path file_path content file_text new_str new_string'),
    ...named('removes', 'old_str old_string'),
    ...named('describes', 'command insert_line view_range start end expected_replacements'),
  },
  { target, by: { argument: 'command', cases: EDITOR_LOOKS } },
)
const READ = tool(named('reads', 'path file_path dir_path'), { rest: 'describes', target })

/**
 * OpenHands: the actions of the application (All-Hands-AI/OpenHands, openhands/events/action and openhands/core/schema/action.py), the
 * tools of its CodeAct agent (openhands/agenthub/codeact_agent/tools), and those of OpenHands/software-agent-sdk
 * (openhands-tools/openhands/tools/[tool]/definition.py, openhands-sdk/openhands/sdk/tool/builtins). Tools of MCP servers are in no table.
 */
export const OPENHANDS_TOOLS: ToolTable = {
  ...named(SHELL, 'run execute_bash terminal bash'),
  ...named(CODE, 'run_ipython execute_ipython_cell'),
  ...named(FILE, 'write edit str_replace_editor edit_file file_editor planning_file_editor write_file'),
  apply_patch: tool({ patch: 'patch' }),
  ...named(READ, 'read read_file list_directory'),
  ...named(SEARCH, 'glob grep'),
  ...named(WEB, 'browse web_read browser_navigate'),
  ...named(BROWSER, 'browse_interactive browser browser_click browser_type browser_set_storage browser_close_tab'),
  ...named(
    LOOK,
    `browser_get_state browser_get_content browser_scroll browser_go_back browser_list_tabs
    browser_switch_tab browser_get_storage browser_start_recording browser_stop_recording inspect_image_with_vision`,
  ),
  delegate: tool({ inputs: 'delegates', tasks: 'delegates', agent: 'describes' }, { rest: 'describes' }),
  task: tool({ prompt: 'delegates' }, { rest: 'describes' }),
  delegate_to_browsing_agent: tool({}, { rest: 'delegates' }),
  invoke_skill: tool({}, { rest: 'unknown' }),
  ...named(PLAN, 'think task_tracker task_tracking request_condensation'),
  ...named(SPEECH, 'finish reject'),
}
