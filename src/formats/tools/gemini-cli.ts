import { LOOK, PLAN, SKILL, SPEECH } from './common.ts'
import { named, type ToolSpec, type ToolTable } from './tool-table.ts'

const HOW = 'description directory dir_path is_background delay_ms additional_permissions'
/** Arguments that the harness adds where a person changed the text to write. */
const PROPOSED = 'modified_by_user ai_proposed_content'

const SEARCH: ToolSpec = { args: { pattern: 'searches', query: 'searches' }, rest: 'searches' }

const FILES = ['file_path', 'absolute_path', 'path']
const READ: ToolSpec = { args: named('reads', FILES.join(' ')), rest: 'describes', target: FILES }

/**
 * Gemini CLI (google-gemini/gemini-cli): packages/core/src/tools/tool-names.ts, definitions/base-declarations.ts and
 * definitions/model-family-sets/default-legacy.ts; `invoke_agent`: packages/core/src/agents/agent-tool.ts; older names
 * (`search_file_content`, `save_memory`): the same folder before 2026. Tools of MCP servers are in no table.
 */
export const GEMINI_CLI_TOOLS: ToolTable = {
  run_shell_command: { args: { command: 'shell', ...named('describes', HOW) } },
  ...named(LOOK, 'list_background_processes read_background_output'),
  write_file: {
    args: { ...named('writes', 'file_path content'), ...named('describes', PROPOSED) },
    target: 'file_path',
  },
  replace: {
    args: {
      ...{ ...named('writes', 'file_path new_string'), old_string: 'removes' },
      ...named('describes', `instruction expected_replacements allow_multiple ${PROPOSED} ai_proposed_string`),
    },
    target: 'file_path',
  },
  // A note of the agent to itself may carry out the instruction or refuse it.
  save_memory: { args: { fact: 'unknown', scope: 'describes' } },
  read_file: READ,
  ...named(LOOK, 'read_many_files list_directory get_internal_docs read_mcp_resource list_mcp_resources'),
  ...named(SEARCH, 'grep_search search_file_content glob'),
  ...named({ args: {}, rest: 'web' }, 'google_web_search web_fetch'),
  invoke_agent: { args: { prompt: 'delegates', agent_name: 'describes' } },
  delegate_to_agent: { args: { agent_name: 'describes' }, rest: 'delegates' },
  activate_skill: SKILL,
  ...named(PLAN, 'write_todos update_topic enter_plan_mode tracker_create_task tracker_update_task tracker_get_task'),
  ...named(PLAN, 'tracker_list_tasks tracker_add_dependency tracker_visualize'),
  ...named(SPEECH, 'ask_user exit_plan_mode complete_task'),
}
