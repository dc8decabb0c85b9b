import { named, type ToolTable } from './tool-table.ts'

/**
 * Cline and Roo Code, as XML in the agent's messages and as tool calls. Sources: cline/cline, src/core/prompts/commands.ts and
 * src/core/prompts/system-prompt/tools; RooVetGit/Roo-Code, src/core/prompts/tools.
 */
export const CLINE_TOOLS: ToolTable = {
  execute_command: { args: { command: 'shell', ...named('describes', 'requires_approval cwd timeout') } },
  read_file: {
    args: { ...named('reads', 'path args files'), ...named('describes', 'line_range start_line end_line') },
    target: 'path',
  },
  write_to_file: { args: { content: 'writes', path: 'writes', line_count: 'describes' }, target: 'path' },
  // SEARCH/REPLACE blocks, or a unified diff: both sides in one text.
  replace_in_file: { args: { diff: 'patch', path: 'writes' }, target: 'path' },
  apply_diff: { args: { diff: 'patch', path: 'writes', start_line: 'describes' }, target: 'path' },
  apply_patch: { args: { input: 'patch', patch: 'patch' } },
  insert_content: { args: { content: 'writes', path: 'writes', line: 'describes' }, target: 'path' },
  search_and_replace: {
    args: { replace: 'writes', search: 'removes', path: 'writes', use_regex: 'describes', ignore_case: 'describes' },
    target: 'path',
  },
  search_files: { args: { regex: 'searches', path: 'searches', file_pattern: 'searches' } },
  list_files: { args: { path: 'reads', recursive: 'describes' } },
  list_code_definition_names: { args: { path: 'reads' } },
  codebase_search: { args: { query: 'searches', path: 'searches' } },
  browser_action: { args: { url: 'web', text: 'unknown', ...named('describes', 'action coordinate size') } },
  web_fetch: { args: { url: 'web', prompt: 'web' } },
  web_search: { args: { query: 'web' } },
  use_mcp_tool: { args: { arguments: 'unknown', tool_name: 'unknown', server_name: 'describes' } },
  access_mcp_resource: { args: { uri: 'reads', server_name: 'describes' } },
  new_task: { args: { message: 'delegates', context: 'delegates', mode: 'describes', todos: 'thinks' } },
  use_subagents: { args: {}, rest: 'delegates' },
  ask_followup_question: { args: { question: 'speaks', options: 'speaks', follow_up: 'speaks' }, rest: 'speaks' },
  ...named({ args: { response: 'speaks' }, rest: 'speaks' }, 'plan_mode_respond act_mode_respond'),
  // The command that shows the result runs for the user.
  attempt_completion: { args: { result: 'speaks', command: 'shell', task_progress: 'thinks' }, rest: 'speaks' },
  ...named({ args: {}, rest: 'thinks' }, 'focus_chain update_todo_list'),
  switch_mode: { args: { mode_slug: 'describes', reason: 'describes' } },
  fetch_instructions: { args: { task: 'reads' } },
}
