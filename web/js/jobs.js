// jobs.js -- how far a job of the server has come.

import * as api from "./api.js";
import { duration, el } from "./dom.js";

function bar(job, onStop) {
  const share = job.total ? job.done / job.total : 0;
  const left = job.left === null ? "" : ` · ${duration(job.left)} left`;
  return el("div.job", {},
    el("div.bar", {
      role: "progressbar", "aria-label": job.job,
      "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(share * 100),
    }, el("i", { style: `width:${(share * 100).toFixed(2)}%` })),
    el("div.row", {},
      el("span", {}, job.state === "waiting" ? "waiting" : job.label || job.state),
      el("span.dim", {}, `${Math.floor(share * 100)} %${left}`),
      el("button.link", { type: "button", onclick: onStop }, "stop")));
}

// Show a job in a box until it ends; returns how it ended.  `label`, if given, stands in
// for what the job says of itself; `key` is what its starter was given, to stop it.
export function watch(id, box, { label, key } = {}) {
  return api.follow(id, (job) => {
    const shown = label ? { ...job, label, left: null } : job;
    box.replaceChildren(bar(shown, () => api.stopJob(id, key)));
  });
}

// Why a job did not do what it should.
export function excuse(job) {
  return job.state === "stopped" ? "Stopped." : job.error;
}
