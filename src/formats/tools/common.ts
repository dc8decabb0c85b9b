import {
  CODE,
  EDITED,
  EDITOR,
  FILE,
  HANDLE,
  inFile,
  LIST,
  PATCH,
  PLAN,
  READ,
  SEARCH,
  SHELL,
  SPEECH,
  SUBAGENT,
  TYPED,
  WEB,
  WRITTEN,
} from './common-specs.ts'
import { named, type ToolTable } from './tool-table.ts'

/**
 * Tools that many harnesses share under one name, and those of harnesses without a table of their own. Sources: Anthropic's bash,
 * text-editor and web tools (docs.anthropic.com); Inspect (UKGovernmentBEIS/inspect_ai, src/inspect_ai/tool/_tools); opencode
 * (sst/opencode, packages/opencode/src/tool); qwen-code (QwenLM/qwen-code, packages/core/src/tools); kimi-cli (MoonshotAI/kimi-cli,
 * src/kimi_cli/tools); goose (block/goose, crates/goose-mcp/src/developer); hermes (NousResearch/hermes-agent, tools); Copilot's
 * agents (raymondclowe/github-copilot-agent-prompts-tools, Functions.md); tau-bench (sierra-research/tau-bench, think and calculate);
 * mini-swe-agent (SWE-agent/mini-swe-agent, src/minisweagent/models/utils/actions_toolcall.py).
 */
export const COMMON_TOOLS: ToolTable = {
  ...named(SHELL, 'bash execute_bash run_shell_command shell sh terminal run_command execute_command run_terminal_cmd'),
  ...named(SHELL, 'run_in_terminal bash_session developer__shell Shell bash_tool local_shell run exec'),
  ...named(CODE, 'python execute_ipython_cell run_ipython ipython jupyter python_exec execute_code code_interpreter'),
  ...named(CODE, 'run_python code_execution'),
  ...named(TYPED, 'write_bash process write_stdin'),
  ...named(HANDLE, 'read_bash stop_bash list_bash report_intent developer__list_windows'),
  ...named(
    SEARCH,
    `lsp grep glob grep_search search_file_content file_search rg Grep Glob search_files
    codebase_search codesearch search find semantic_search keyword_search session_search tool_search`,
  ),
  ...named(
    READ,
    'read_file read view cat ReadFile read_many_files view_file ReadMediaFile view_image get_file_content',
  ),
  ...named(LIST, 'list_directory list_dir list_files list ls tree'),
  write_file: inFile({ ...WRITTEN, append: 'describes' }),
  write: inFile({ ...WRITTEN, ...EDITED }),
  create: inFile(WRITTEN),
  create_file: inFile(WRITTEN),
  WriteFile: inFile(WRITTEN),
  edit: inFile(EDITED),
  replace: inFile(EDITED),
  StrReplaceFile: inFile(EDITED),
  str_replace: inFile(EDITED),
  insert: inFile(EDITED),
  search_replace: inFile(EDITED),
  edit_file: inFile({
    ...EDITED,
    code_edit: 'writes',
    target_file: 'writes',
    instructions: 'describes',
    content: 'writes',
  }),
  ...named(
    EDITOR,
    `str_replace_editor str_replace_based_edit_tool text_editor developer__text_editor file_editor
    editor`,
  ),
  ...{ apply_patch: PATCH, patch: { ...PATCH, args: { ...EDITED, ...PATCH.args, mode: 'describes' }, target: FILE } },
  // What they name is taken away by the call itself.
  delete_file: { args: { target_file: 'executes', path: 'executes', file_path: 'executes', explanation: 'describes' } },
  ...named(WEB, 'web_search web_fetch fetch webfetch websearch SearchWeb FetchURL google_web_search web_extract'),
  ...named(WEB, 'fetch_webpage browser_navigate web_browser_go'),
  ...named(SUBAGENT, 'task Task agent Agent delegate delegate_task subagent runSubagent SendDMail spawn_agent handoff'),
  ...named(
    PLAN,
    `think Think TodoWrite TaskCreate TaskUpdate todo_write todowrite todoread todo write_todos
    update_plan todo_list task_tracker task_tracking update_todo_list update_todo set_todo_list SetTodoList
    todo__todo_write todo__todo_read manage_todo_list`,
  ),
  ...named(
    SPEECH,
    `ExitPlanMode exit_plan_mode AskUserQuestion ask_user_question clarify ask_followup_question
    ask_user question plan_mode_respond finish request_user_input submit attempt_completion complete_task
    task_complete mark_task_complete`,
  ),
}
