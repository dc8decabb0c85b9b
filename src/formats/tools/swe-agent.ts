import { named, type ToolTable } from './tool-table.ts'

/**
 * SWE-agent's own tools, as calls of functions. Source: SWE-agent/SWE-agent, tools/<bundle>/config.yaml (search, windowed, windowed_edit_*,
 * edit_anthropic, submit, web_browser) and config/commands of 0.x. In a trajectory they stand as the first word of a shell line.
 */
export const SWE_AGENT_TOOLS: ToolTable = {
  bash: { args: { command: 'shell' } },
  open: { args: { path: 'reads', line_number: 'describes' } },
  goto: { args: { line_number: 'describes' } },
  create: { args: { filename: 'writes' }, target: 'filename' },
  scroll_up: { args: {}, rest: 'describes' },
  scroll_down: { args: {}, rest: 'describes' },
  search_dir: { args: { search_term: 'searches', dir: 'searches' } },
  search_file: { args: { search_term: 'searches', file: 'searches' } },
  find_file: { args: { file_name: 'searches', dir: 'searches' } },
  edit: {
    args: {
      replacement_text: 'writes',
      replace: 'writes',
      search: 'removes',
      ...named('describes', 'start_line end_line replace-all'),
    },
  },
  insert: { args: { text: 'writes', line: 'describes' } },
  filemap: { args: { file_path: 'reads' } },
  view_image: { args: { image_file: 'reads' } },
  submit: { args: {}, rest: 'speaks' },
  exit_forfeit: { args: {}, rest: 'speaks' },
}
