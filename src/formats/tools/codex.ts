import { LOOK, PLAN, SPEECH } from './common.ts'
import { named, type ToolSpec, type ToolTable } from './tool-table.ts'

/** Arguments for the manner and the reason of a command's run: `create_approval_parameters` and its neighbours. */
const HOW: ToolSpec['args'] = {
  ...named('describes', 'workdir timeout_ms login shell tty yield_time_ms max_output_tokens sandbox_permissions'),
  ...named('describes', 'with_escalated_permissions justification prefix_rule additional_permissions environment_id'),
}
const ARGV: ToolSpec = { args: { ...HOW, command: 'argv' } }
const SHELL: ToolSpec = { args: { ...HOW, command: 'shell', cmd: 'shell' } }

/** A message to another agent, and the agent's id. */
const AGENT: ToolSpec = { args: { message: 'delegates', items: 'delegates', prompt: 'delegates' }, rest: 'describes' }

/**
 * Codex (openai/codex):
 * codex-rs/tools/src/{local_tool,apply_patch_tool,plan_tool,view_image,agent_tool,js_repl_tool,request_user_input_tool,mcp_resource_tool,tool_search,code_mode,goal_tool}.rs;
 * the items without a function's name (`local_shell_call`, `web_search_call`): codex-rs/protocol/src/models.rs; the events:
 * codex-rs/protocol/src/protocol.rs; the output of `exec --json` (`command_execution`, `file_change`, …): codex-rs/exec/src/exec_events.rs.
 * Tools of MCP servers are in no table.
 */
export const CODEX_TOOLS: ToolTable = {
  ...named(ARGV, 'shell container.exec'),
  ...{ shell_command: SHELL, exec_command: { args: { ...SHELL.args, command: 'argv', cwd: 'describes' } } },
  local_shell_call: { args: { ...HOW, command: 'argv', ...named('describes', 'type working_directory env user') } },
  write_stdin: { args: { ...HOW, chars: 'keystrokes', session_id: 'describes' } },
  command_execution: { args: { command: 'shell' } },
  apply_patch: {
    args: { ...named('patch', 'input patch unified_diff'), ...named('writes', 'content move_path changes') },
  },
  file_change: { args: { path: 'writes', kind: 'describes', diff: 'patch' }, target: 'path' },
  ...named({ args: {}, rest: 'javascript' }, 'js_repl exec'),
  js_repl_reset: { args: {}, rest: 'executes' },
  ...named(LOOK, 'view_image read_file list_dir wait list_mcp_resources list_mcp_resource_templates read_mcp_resource'),
  ...named({ args: {}, rest: 'searches' }, 'grep_files tool_search tool_search_call'),
  ...named({ args: {}, rest: 'web' }, 'web_search web_search_call'),
  ...named(AGENT, 'spawn_agent send_input send_message assign_task followup_task resume_agent collab_tool_call'),
  ...named(LOOK, 'wait_agent list_agents'),
  close_agent: { args: {}, rest: 'executes' },
  ...named(PLAN, 'update_plan todo_list create_goal update_goal get_goal'),
  ...named(SPEECH, 'request_user_input request_permissions'),
}
