import { bestTimes, numbers } from './numbers.ts';
import { draft, failed, find, isDraft, listAccounts, listBrokenAccounts, shorten, validate, wentOut } from './posts.ts';
import { describePending, isMove, isPublish, isSchedule, move, publish, remove, schedule } from './publishing.ts';
import { PendingApproval, RefusedAction, type Talk, Unclear, type UserRequest } from './talk.ts';
import { plain } from './words.ts';

/** Matches only the user's own words, so no text of a post or a network can make this model act. */
const intents: readonly [(text: string) => boolean, (request: UserRequest) => Talk][] = [
  [has(/\btranslat(e|es|ed|ing|ions?)\b/i), cannotTranslate],
  [isDraft, draft],
  [has(/\bapprove\b|\bapproval\b|\b(accept|confirm) (it|this|the (card|request))\b/i), cannotApprove],
  [
    has(/\bwebhooks?\b|\btokens?\b|\bmembers?\b|\binvit\w+|\bbilling\b|\b(my|our|the) plan\b|\bpasswords?\b/i),
    outOfReach,
  ],
  [has(/\bfail(ed|s|ures?|ing)?\b|\bwent wrong\b|\bdid(n't| not) go out\b/i), failed],
  [
    has(
      /\b(what|which|list|show)\b.*\b(went out|(was|were|been|got) (published|sent)|did (we|i) (publish|post|send))\b/i,
    ),
    wentOut,
  ],
  [has(/\bre-?connect\w*\b|\bbroken accounts?\b|\baccounts?\b.*\b(sign-?in|broken|expired)\b/i), listBrokenAccounts],
  [has(/\bbest (time|hour|day)s?\b|\bwhen (should|do|can) (i|we)\b|\bwhat time\b/i), bestTimes],
  [has(/\bdelete\b|\bremove (this|the|it)\b/i), remove],
  [has(/\bshort(en|er)\b|\btrim\b|\btoo long\b/i), shorten],
  [isMove, move],
  [isSchedule, schedule],
  [isPublish, publish],
  [has(/\bvalidate\b|\bcheck\b|\bdoes (it|this( post)?) fit\b|\bready to go\b/i), validate],
  [
    has(
      /\bhow (did|do|does|is|was|were|has|have|many|much)\b|\bnumbers?\b|\bstat(s|istics)\b|\bengagements?\b|\bviews\b|\blikes\b|\bperform\w*\b|\banalytics\b/i,
    ),
    numbers,
  ],
  [has(/\baccounts?\b|\bconnected\b/i), listAccounts],
  [
    has(/\b(list|show|find|search|which|what)\b.*\b(posts?|drafts?|scheduled|published|sent)\b|\bmy (posts|drafts)\b/i),
    find,
  ],
];

function has(pattern: RegExp) {
  return (text: string) => pattern.test(text);
}

export function* answer(request: UserRequest): Talk {
  const talk = intents.find(([matches]) => matches(request.text))?.[1] ?? help;
  try {
    return yield* talk(request);
  } catch (error) {
    if (error instanceof PendingApproval) return describePending(error.action);
    if (error instanceof Unclear) return error.message;
    if (error instanceof RefusedAction) return describeRefusal(error);
    throw error;
  }
}

const describeRefusal = ({ message, issues }: RefusedAction) => {
  const more = issues.map((issue) => `\n- ${plain(issue.message)}`).slice(0, 10);
  return `That was refused. ${plain(message)}${issues.length > 1 ? more.join('') : ''}`;
};

// biome-ignore lint/correctness/useYield: it uses no action
function* cannotApprove(): Talk {
  return 'I cannot approve: a person does, with the button on the card here or on the page Approvals.';
}

// biome-ignore lint/correctness/useYield: it uses no action
function* outOfReach(): Talk {
  return 'That is out of my reach. Webhooks, tokens, members and the plan are on the pages under Workspace, and only for people.';
}

// biome-ignore lint/correctness/useYield: it uses no action
function* cannotTranslate(): Talk {
  return 'Translating needs a language model, and this server has none. Whoever runs it sets LLM_BASE_URL or ANTHROPIC_API_KEY; then ask me again.';
}

// biome-ignore lint/correctness/useYield: it uses no action
function* help(): Talk {
  return [
    'I did not understand that. I am the small built-in assistant, and I know these requests:',
    '- how did last week go, and the numbers of any range or of this post',
    '- what are my best times',
    '- what went out last week, find posts about bread, list my scheduled posts, what failed and why',
    '- which accounts need reconnecting',
    '- draft a post for some accounts saying “your words”',
    '- make it shorter for one network, check this post',
    '- schedule it for Saturday at 9:00 or for the next free slot, move the bread post to Thursday 8:00, publish it, delete it: you decide on a card',
    'For free conversation, whoever runs this server can set a language model with LLM_BASE_URL or ANTHROPIC_API_KEY.',
  ].join('\n');
}
