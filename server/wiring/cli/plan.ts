import { type Command, need, using } from './command.ts';

export const showPlan: Command = (config, options) => {
  const [workspaceId] = need(options, 'workspace');
  return using(config, ({ plans: { plans } }) => plans.read(workspaceId));
};

export const setPlan: Command = (config, options) => {
  const [workspaceId, plan] = need(options, 'workspace', 'plan');
  return using(config, async ({ people: { people }, plans: { plans } }) => {
    await people.setPlan(workspaceId, plan);
    return plans.read(workspaceId);
  });
};
