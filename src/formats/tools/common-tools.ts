import {
  type ArgumentKind,
  argumentKinds,
  named,
  type ToolSpec,
  type ToolTable,
  toolSpec,
  toolTable,
} from './tool-table.ts'

const FILE = 'path file_path filePath target_file filename'

/** A shell tool as most harnesses have it: the command, and the manner of its run. */
const SHELL = `shell command cmd commands script; keystrokes input; describes description justification explanation intent
    title summary reason timeout timeout_ms timeout_sec wait initial_wait workdir working_directory cwd directory is_background
    background run_in_background async is_input security_risk mode restart reset sessionId session_id shellId pty
    notify_on_complete require_user_approval requires_approval with_escalated_permissions`
const READ = `reads path file_path filePath target_file absolute_path filename file files paths uri; describes offset limit
    line_offset n_lines view_range start_line end_line startLine endLine pages explanation should_read_entire_file
    start_line_one_indexed end_line_one_indexed_inclusive`
const SEARCH = `searches pattern query regex path glob include include_pattern exclude_pattern file_pattern
    target_directories file_glob directory dir_path type; describes target output_mode explanation limit head_limit offset
    case_sensitive context max_results tokensNum n -A -B -C -i -n multiline include_dirs respect_git_ignore`
const WRITE = `writes content file_text contents path file_path filePath;
    describes mode description explanation instructions instruction`
const EDIT = `writes new_string newString new_str insert_text new after path file_path filePath;
    removes old_string oldString old_str old before; describes replace_all replaceAll expected_replacements allow_multiple
    description explanation instruction insert_line`
const WEB = `web query q search_term url urls uri prompt allowed_domains blocked_domains; describes explanation format timeout
    max_length raw start_index numResults limit include_content`
const DELEGATE = 'delegates prompt task goal context *; describes description'
export const SUBAGENT = toolSpec(DELEGATE)

/** Returns the argument kinds of an editor's command that uses only the path, and no text. */
const editorPath = (kind: ArgumentKind): ToolSpec['args'] =>
  argumentKinds(`describes new_string newString new_str insert_text new old_string oldString old_str old before after
    file_text diff; ${kind} path file_path filePath`)
/** Commands of an editor that write nothing new: `undo_edit` restores the text from before an edit. */
const LOOKS = { ...named(editorPath('reads'), 'view read'), undo_edit: editorPath('removes') }
export const byCommand = (spec: ToolSpec, cases: Record<string, ToolSpec['args']> = {}): ToolSpec => ({
  ...spec,
  by: { argument: 'command', cases: { ...LOOKS, ...cases } },
})

/** Anthropic's editor, which other harnesses adopted. */
export const EDITOR = byCommand(
  toolSpec(`${EDIT}; describes command view_range security_risk; writes file_text; patch diff`, FILE),
  {
    ...named(argumentKinds('describes old_str new_str insert_text'), 'create write'),
    str_replace: argumentKinds('describes file_text insert_text'),
    insert: argumentKinds('describes file_text old_str'),
  },
)

/** A code tool; Python where no language is named. */
const CODE: ToolSpec = {
  ...toolSpec('code code cell script; describes language timeout description'),
  by: {
    argument: 'language',
    cases: {
      ...named({}, 'python python3 py'),
      ...named(argumentKinds('javascript code cell script'), 'javascript js node nodejs typescript ts'),
      ...named(argumentKinds('shell code cell script'), 'bash sh shell'),
    },
    otherwise: argumentKinds('unknown code cell script'),
  },
}

/**
 * Tools that many harnesses share under one name, and those of harnesses without a table of their own. Sources: Anthropic's bash,
 * text-editor and web tools (docs.anthropic.com); Inspect (UKGovernmentBEIS/inspect_ai, src/inspect_ai/tool/_tools); opencode
 * (sst/opencode, packages/opencode/src/tool); qwen-code (QwenLM/qwen-code, packages/core/src/tools); kimi-cli (MoonshotAI/kimi-cli,
 * src/kimi_cli/tools); goose (block/goose, crates/goose-mcp/src/developer); hermes (NousResearch/hermes-agent, tools); Copilot's agents
 * (raymondclowe/github-copilot-agent-prompts-tools, Functions.md); tau-bench (sierra-research/tau-bench, think and calculate);
 * mini-swe-agent (SWE-agent/mini-swe-agent, src/minisweagent/models/utils/actions_toolcall.py). The call of `delete_file` itself deletes.
 */
export const COMMON_TOOLS: ToolTable = {
  ...toolTable(`
  bash execute_bash run_shell_command shell sh terminal run_command execute_command run_terminal_cmd run_in_terminal
    bash_session developer__shell Shell bash_tool local_shell run exec Execute | ${SHELL}
  write_bash process write_stdin | keystrokes input data chars text keys;
    describes sessionId session_id shellId delay action timeout yield_time_ms max_output_tokens
  read_bash stop_bash list_bash report_intent developer__list_windows | describes *
  lsp grep glob grep_search search_file_content file_search rg Grep Glob search_files codebase_search codesearch search find
    semantic_search keyword_search session_search tool_search | ${SEARCH}
  read_file read view cat ReadFile read_many_files view_file ReadMediaFile view_image get_file_content | ${READ} | ${FILE}
  list_directory list_dir list_files list ls tree | reads path dir directory dir_path relative_workspace_path target_directory;
    describes file_filtering_options recursive depth explanation; searches ignore
  write_file | ${WRITE} append | ${FILE}
  write | ${WRITE}; ${EDIT} | ${FILE}
  create create_file WriteFile | ${WRITE} | ${FILE}
  edit replace StrReplaceFile str_replace insert search_replace | ${EDIT} | ${FILE}
  edit_file | ${EDIT} instructions; writes code_edit target_file content | ${FILE}
  apply_patch | patch input patch patchText diff; describes explanation
  patch | ${EDIT} mode; patch input patch patchText diff | ${FILE}
  delete_file | executes target_file path file_path; describes explanation
  web_search web_fetch fetch webfetch websearch SearchWeb FetchURL google_web_search web_extract fetch_webpage
    browser_navigate web_browser_go | ${WEB}
  task Task agent Agent delegate delegate_task subagent runSubagent SendDMail spawn_agent handoff | ${DELEGATE}
  think Think TodoWrite TaskCreate TaskUpdate todo_write todowrite todoread todo write_todos update_plan todo_list
    task_tracker task_tracking update_todo_list update_todo set_todo_list SetTodoList todo__todo_write todo__todo_read
    manage_todo_list | thinks *
  ExitPlanMode exit_plan_mode AskUserQuestion ask_user_question clarify ask_followup_question ask_user question
    plan_mode_respond finish request_user_input submit attempt_completion complete_task task_complete
    mark_task_complete | speaks *`),
  ...named(CODE, 'python execute_ipython_cell run_ipython ipython jupyter python_exec execute_code code_interpreter'),
  ...named(CODE, 'run_python code_execution'),
  ...named(
    EDITOR,
    'str_replace_editor str_replace_based_edit_tool text_editor developer__text_editor file_editor editor',
  ),
}
