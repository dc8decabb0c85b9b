export const RUBRIC_HELP = `
A rubric is a folder: rubric.yaml (claims, what proves each, what follows), system.md, question.md and examples/.
docs/rubrics.md teaches how to write one.

In this order:
  veridict rubric new files-deleted
  veridict rubric check ./files-deleted@1
  veridict rubric test ./files-deleted@1
  VERIDICT_RUBRICS=./files-deleted@1 veridict grade run.json -g truth.json --rubric files-deleted@1 --judge openai`

export const NEW_HELP = `
Never writes over anything. Exit codes: 0 written; 1 not: the folder is there, or its name cannot be used.

Examples:
  veridict rubric new files-deleted                                 one question, yes or no
  veridict rubric new my-failures --from failure-attribution        steps, agents, kinds
  veridict rubric new my-failures --from my-failures@1              the next version of your own: my-failures@2`

export const CHECK_HELP = `
Faults keep a rubric from loading: everything that uses it would refuse to start. Warnings are what its author hardly means.

Exit codes: 0 no fault (warnings do not count); 1 no such folder; 2 faults.

Examples:
  veridict rubric check ./files-deleted@1
  veridict rubric check rubrics/             every rubric in a folder`

export const SHOW_HELP = `
Exit codes: 0 shown; 1 no such rubric, or one with faults.

Examples:
  veridict rubric show failure-attribution
  veridict rubric show ./files-deleted@1 --schema
  veridict rubric show injection@1 --prompt`

export const TEST_HELP = `
An example (examples/*.yaml) holds a run, its truth, what a judge replies, and what the grade must say; only what \`expect\` names is
compared. \`judge: lexical\` in place of \`reply\` asks the built-in judge. The whole way of a grade is run, repairs included.

Exit codes: 0 all pass; 1 some fail, a rubric has none, or cannot be loaded.

Examples:
  veridict rubric test
  veridict rubric test ./files-deleted@1 injection`
