// jobs.js -- how far a job of the server has come.

import * as api from "./api.js";
import { duration, el, toast } from "./dom.js";

// A bar whose parts stay the same while it grows: the focus stays, and a click hits.
class Bar {
  constructor(onStop) {
    this.fill = el("i");
    this.bar = el("div.bar", { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, this.fill);
    this.label = el("span");
    this.share = el("span.dim");
    this.element = el("div.job", {}, this.bar, el("div.row", {}, this.label, this.share, el("button.link", { type: "button", onclick: onStop }, "stop")));
  }

  show(job) {
    const share = job.total ? job.done / job.total : 0, left = job.left === null ? "" : ` · ${duration(job.left)} left`;
    this.bar.setAttribute("aria-label", job.job);
    this.bar.setAttribute("aria-valuenow", Math.round(share * 100));
    this.fill.style.width = `${(share * 100).toFixed(2)}%`;
    this.label.textContent = job.state === "waiting" ? "waiting" : job.label || job.state;
    this.share.textContent = `${Math.floor(share * 100)} %${left}`;
  }
}

// Show a job in a box until it ends; returns how it ended.  `label`, if given, stands in
// for what the job says of itself, or makes that from it; `key` is what its starter was given, to
// stop it, and is kept over a reload.
export function watch(id, box, { label, key } = {}) {
  const name = `kelso-job-${id}`, bar = new Bar(() => api.stopJob(id, sessionStorage.getItem(name) ?? undefined).catch((error) => toast(error.message)));
  if (key) sessionStorage.setItem(name, key);
  box.replaceChildren(bar.element);
  return api.follow(id, (job) => bar.show(label ? { ...job, label: typeof label === "function" ? label(job) : label, left: null } : job));
}

// Why a job did not do what it should.
export function excuse(job) {
  return job.state === "stopped" ? "Stopped." : job.error;
}
