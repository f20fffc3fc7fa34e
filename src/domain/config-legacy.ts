/**
 * The keys of AI-Scientist-v2's `bfts_config.yaml`, so that such a file loads unchanged: those that have no
 * effect here, which are accepted and listed, and those that mean the same here as there.
 */

const MODEL_KEYS = ['model', 'temp', 'max_tokens', 'thinking', 'betas'];
const MODEL_ROLES = ['code', 'feedback', 'vlm_feedback', 'summary', 'select_node'];

/**
 * Keys without effect, dotted, with the reason in words for the schema file. Nothing written under them is
 * looked at. Most had no effect in the original either (its launcher replaced them, or nothing read them).
 */
export const LEGACY_KEYS: ReadonlyMap<string, string> = new Map([
  ['desc_file', 'the task names the goal'],
  ['eval', 'the task names the metric'],
  ['preprocess_data', 'data is read as it is'],
  ['copy_data', 'data is read where it lies'],
  ['log_dir', 'logs lie in the folder of the run'],
  ['workspace_dir', 'every evaluation has a folder of its own in the folder of the run'],
  ['exp_name', 'a run is named by its run id'],
  ['generate_report', 'the report is always written'],
  ['report.model', 'the report needs no model'],
  ['report.temp', 'the report needs no model'],
  ['report.max_tokens', 'the report needs no model'],
  ['report.thinking', 'the report needs no model'],
  ['report.betas', 'the report needs no model'],
  ['exec.agent_file_name', 'the task names its program'],
  ['exec.format_tb_ipython', 'tracebacks are kept as Python prints them'],
  ['experiment.num_syn_datasets', 'the task names its datasets'],
  ['debug.stage4', 'any stage can be run alone through its limit'],
  ['agent.k_fold_validation', 'the program of the task decides how it validates'],
  ['agent.expose_prediction', 'nothing reads it'],
  ['agent.data_preview', 'nothing reads it'],
  ...MODEL_ROLES.flatMap((role) => MODEL_KEYS.map((key) => [`agent.${role}.${key}`, 'no proposer here calls a model'] as const)),
]);

/** Keys of the original that mean the same here. `null` in one of them stands for its default, as there. */
export const SHARED_KEYS: ReadonlySet<string> = new Set([
  'goal',
  'data_dir',
  'exec.timeout',
  'agent.type',
  'agent.num_workers',
  'agent.steps',
  'agent.stages.stage1_max_iters',
  'agent.stages.stage2_max_iters',
  'agent.stages.stage3_max_iters',
  'agent.stages.stage4_max_iters',
  'agent.multi_seed_eval.num_seeds',
  'agent.search.num_drafts',
  'agent.search.debug_prob',
  'agent.search.max_debug_depth',
]);

/** The data folder that the original's file names; nobody made it, since the launcher replaced the key. */
export const LEGACY_DATA_DIR = 'data';
