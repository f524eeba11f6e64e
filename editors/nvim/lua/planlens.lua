-- What planlens has to show beside the text: the plan as a buffer, and its counts for a status line.

local M = {}

local REFRESH = 'workspace/textDocumentContent/refresh'

-- How the plans stand, as the server said last.
local plans = {}

local function client(buffer)
  return vim.lsp.get_clients({ bufnr = buffer, name = 'planlens' })[1]
end

-- Before 0.11 the methods of a client were plain functions.
local function request(server, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return server:request(...)
  end
  return server.request(...)
end

local function folder_of(buffer)
  return vim.uri_from_fname(vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h'))
end

-- Of YAML files planlens takes those of Pulumi projects, of JSON files those of Terraform and OpenTofu, and of files with the type
-- `hcl` tests and those of Terragrunt.
function M.takes(buffer)
  local filetype = vim.bo[buffer].filetype
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(buffer))
  if filetype == 'json' then
    local kind = name:match('%.(%w+)%.json$')
    return kind ~= nil and (kind:match('^tf') or kind:match('^tofu')) ~= nil
  end
  if filetype == 'hcl' then
    return name == 'terragrunt.hcl' or name == 'terragrunt.stack.hcl' or name == 'root.hcl' or name:match('%.tftest%.hcl$') ~= nil or name:match('%.tofutest%.hcl$') ~= nil
  end
  if filetype ~= 'yaml' then
    return true
  end
  local is_project = name:match('^Pulumi%.ya?ml$') or name:match('^Pulumi%..+%.ya?ml$')
  return is_project ~= nil or (name == 'Main.yaml' and vim.fs.root(buffer, 'Pulumi.yaml') ~= nil)
end

-- What the server has to be told about this client, for `vim.lsp.config` and `vim.lsp.start`.
function M.capabilities()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { planlens = { status = true } }
  return capabilities
end

-- Neovim shows code lenses only when it is told to; before 0.12 at each change.
function M.show_lenses(buffer)
  if vim.lsp.codelens.enable then
    return vim.lsp.codelens.enable(true, { bufnr = buffer })
  end
  -- The answer comes with the plan of the text.
  local function refresh() vim.lsp.codelens.refresh({ bufnr = buffer }) end
  vim.api.nvim_create_autocmd('LspNotify', { buffer = buffer, callback = refresh })
  refresh()
end

local function show(server, buffer)
  local uri = vim.b[buffer].planlens_uri
  request(server, 'workspace/textDocumentContent', { uri = uri }, function(problem, answer)
    if problem or not vim.api.nvim_buf_is_valid(buffer) then
      return
    end
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(answer.text, '\n', { plain = true }))
    vim.bo[buffer].modifiable = false
    vim.bo[buffer].modified = false
  end)
end

-- The handlers of what the server says of itself.
M.handlers = {
  ['planlens/status'] = function(_, params)
    plans = params.plans
    vim.cmd.redrawstatus()
  end,
  -- The plan changed: whoever looks at it sees it at once.
  [REFRESH] = function(_, params, context)
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.b[buffer].planlens_uri == params.uri then
        show(vim.lsp.get_client_by_id(context.client_id), buffer)
      end
    end
    return vim.NIL
  end,
}

-- The colors of what hints tell; Neovim has one for all of them.
local GROUPS = { create = 'PlanlensCreate', update = 'PlanlensUpdate', replace = 'PlanlensReplace', destroy = 'PlanlensDestroy', read = 'PlanlensRead', unknown = 'PlanlensUnknown', value = 'PlanlensValue' }
-- Neovim's own color of hints can hardly be read.
local is_given = vim.api.nvim_get_hl(0, { name = 'LspInlayHint' }).link ~= 'NonText'
local GREY = is_given and 'LspInlayHint' or 'Comment'
local LINKS = { create = 'Added', update = 'DiagnosticWarn', replace = 'DiagnosticError', destroy = 'DiagnosticError', read = 'Identifier', unknown = GREY, value = GREY }
for tone, group in pairs(GROUPS) do
  vim.api.nvim_set_hl(0, group, { link = LINKS[tone], default = true })
end

local drawn = vim.api.nvim_create_namespace('planlens.hints')

local function column_of(line, position, encoding)
  if encoding == 'utf-8' then
    return math.min(position.character, #line)
  end
  local length = vim.str_utfindex(line)
  if encoding == 'utf-32' then
    return vim.str_byteindex(line, math.min(position.character, length))
  end
  local _, units = vim.str_utfindex(line)
  return vim.str_byteindex(line, math.min(position.character, units), true)
end

-- Draws the hints. Neovim gives all of them one color, and draws those of a line once for each version of the text: values that
-- change without an edit, with a plan or an environment, would stay as they were (`applied` in its `vim/lsp/inlay_hint.lua`).
M.handlers['textDocument/inlayHint'] = function(problem, hints, context, config)
  local buffer = context.bufnr
  local server = vim.lsp.get_client_by_id(context.client_id)
  local is_of_now = vim.lsp.util.buf_versions[buffer] == context.version
  if problem or not server or not is_of_now or not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, drawn, 0, -1)
  local is_shown = vim.lsp.inlay_hint.is_enabled({ bufnr = buffer })
  for _, hint in ipairs(is_shown and hints or {}) do
    local row = hint.position.line
    local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
    if line then
      local column = column_of(line, hint.position, server.offset_encoding)
      local text = { { hint.label, GROUPS[hint.data and hint.data.tone] or GROUPS.value } }
      if hint.paddingLeft then
        table.insert(text, 1, { ' ' })
      end
      if hint.paddingRight then
        table.insert(text, { ' ' })
      end
      vim.api.nvim_buf_set_extmark(buffer, drawn, row, column, { virt_text = text, virt_text_pos = 'inline' })
    end
  end
  vim.lsp.inlay_hint.on_inlayhint(problem, {}, context, config)
end

-- Hints that are switched off are not drawn.
vim.api.nvim_set_decoration_provider(drawn, {
  on_win = function(_, _, buffer)
    if not vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }) and #vim.api.nvim_buf_get_extmarks(buffer, drawn, 0, -1, { limit = 1 }) > 0 then
      vim.schedule(function() vim.api.nvim_buf_clear_namespace(buffer, drawn, 0, -1) end)
    end
  end,
})

-- What a hint says in a line is not said again behind it.
local virtual_text = vim.diagnostic.handlers.virtual_text
vim.diagnostic.handlers.virtual_text = {
  show = function(namespace, buffer, diagnostics, options)
    local is_said = vim.lsp.inlay_hint.is_enabled({ bufnr = buffer })
    local rest = vim.tbl_filter(function(each) return not (is_said and each.source == 'planlens' and each.code == 'forces-replacement') end, diagnostics)
    virtual_text.show(namespace, buffer, rest, options)
  end,
  hide = virtual_text.hide,
}

-- Columns that two windows beside each other need.
local WIDE = 160

-- Opens the plan of the current buffer's folder beside it, or below where there is no room. It follows the typing.
function M.plan()
  local server = client(0)
  if not server then
    return vim.notify('planlens is not attached to this buffer', vim.log.levels.WARN)
  end
  for method, handler in pairs(M.handlers) do
    server.handlers[method] = server.handlers[method] or handler
  end
  local folder = folder_of(0)
  local uri = folder:gsub('^file:', 'planlens-plan:') .. '/plan.planlens-plan'
  local window = vim.api.nvim_get_current_win()
  vim.cmd(vim.o.columns < WIDE and 'botright new' or 'botright vnew')
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  vim.b[buffer].planlens_uri = uri
  -- A plan of the same folder may be open already.
  pcall(vim.api.nvim_buf_set_name, buffer, 'plan of ' .. vim.fs.basename(vim.uri_to_fname(folder)))
  vim.bo[buffer].filetype = 'planlens-plan'
  vim.wo.wrap, vim.wo.linebreak, vim.wo.breakindent = true, true, true
  vim.wo.breakindentopt = 'shift:4'
  show(server, buffer)
  vim.api.nvim_set_current_win(window)
  return buffer
end

-- The plan of the current buffer's folder in a few characters, such as `+2 ~1 -/+1`.
function M.statusline()
  local folder = folder_of(0)
  for _, plan in ipairs(plans) do
    if plan.folder == folder then
      local parts = {}
      local function add(count, symbol)
        if count > 0 then
          table.insert(parts, symbol .. count)
        end
      end
      add(plan.add - plan.replace, '+')
      add(plan.change, '~')
      add(plan.replace, '-/+')
      add(plan.destroy - plan.replace, '-')
      local marks = { fresh = '', stale = '…', off = ' (paused)' }
      local none = plan.stateUnread and 'state not read' or 'no changes'
      local text = #parts == 0 and none or table.concat(parts, ' ')
      if plan.whatIf and #plan.whatIf > 0 then
        text = 'what if: ' .. text
      end
      -- Neovim 0.12 has `null` as a value of its own.
      if type(plan.environment) == 'string' then
        text = text .. ' [' .. plan.environment .. ']'
      end
      if type(plan.caller) == 'string' then
        text = text .. ' [called by ' .. plan.caller .. ']'
      end
      return (plan.guesses > 0 and '? ' or '') .. text .. marks[plan.state]
    end
  end
  return ''
end

-- Opens the page about all that planning the buffer's folder depends on, for a look or a bug report. The plugins start once
-- for it.
function M.doctor()
  local server = client(0)
  local program = server and server.config.cmd[1] or 'planlens'
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':p:h')
  vim.system({ program, 'doctor', folder }, { text = true }, vim.schedule_wrap(function(answer)
    vim.cmd('botright new')
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
    local text = answer.stdout ~= '' and answer.stdout or answer.stderr
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(vim.trim(text), '\n', { plain = true }))
    vim.bo.modified, vim.b.planlens_doctor = false, true
  end))
end

-- When the server ended by itself, and what it was attached to.
local ends, attached = {}, {}

-- To be called by `on_attach`: what comes back when the server ends.
function M.attached(server, buffer)
  attached[server.id] = attached[server.id] or { config = server.config, buffers = {} }
  attached[server.id].buffers[buffer] = true
end

-- As `on_exit`: starts the server again when it ended by itself, each time later, and gives up after five ends in three
-- minutes. Neovim stops a server by SIGTERM: that one was asked to end.
function M.on_exit(code, signal, id)
  local before = attached[id]
  attached[id] = nil
  for buffer in pairs(before and before.buffers or {}) do
    -- Neovim 0.11 asks for no lenses while it waits for an answer, which would be for ever.
    pcall(vim.lsp.codelens.on_codelens, { message = 'the server ended' }, nil, { bufnr = buffer })
  end
  local asked = signal == vim.uv.constants.SIGTERM or (code == 0 and signal == 0)
  if not before or vim.v.exiting ~= vim.NIL or asked then
    return
  end
  local now = vim.uv.now()
  ends = vim.tbl_filter(function(at) return now - at < 180000 end, ends)
  table.insert(ends, now)
  if #ends > 5 then
    return vim.schedule(function() vim.notify('planlens ended five times in three minutes', vim.log.levels.WARN) end)
  end
  vim.defer_fn(function()
    for buffer in pairs(before.buffers) do
      if vim.api.nvim_buf_is_valid(buffer) then
        vim.lsp.start(before.config, { bufnr = buffer })
      end
    end
  end, 250 * 2 ^ (#ends - 1))
end

-- Has the server do one of its commands: pause, resume, replan, restartProviders or endWhatIf.
function M.command(name, arguments)
  local server = client(0)
  if server then
    request(server, 'workspace/executeCommand', { command = 'planlens.' .. name, arguments = arguments })
  end
end

-- Has the server plan the buffer's root module with one of its environments; asks which, unless it is named. An empty
-- name stands for none.
function M.choose_environment(name)
  local server = client(0)
  local about = { textDocument = vim.lsp.util.make_text_document_params() }
  local function choose(environment)
    about.environment = environment ~= '' and environment or nil
    M.command('setEnvironment', { about })
  end
  if not server or name then
    return server and choose(name)
  end
  request(server, 'planlens/environments', about, function(_, answer)
    local listed = answer and answer ~= vim.NIL and answer.environments or {}
    table.insert(listed, 1, { name = '', title = '', detail = 'no environment' })
    local function shown(each) return (each.isChosen and '* ' or '') .. vim.trim(each.title .. '  ' .. each.detail) end
    vim.ui.select(listed, { prompt = 'Plan with the environment', format_item = shown }, function(each)
      if each then
        choose(each.name)
      end
    end)
  end)
end

-- Has the server show the buffer's module as one of its callers plans it; asks which.
function M.choose_caller()
  local server = client(0)
  if not server then
    return
  end
  local about = { textDocument = vim.lsp.util.make_text_document_params() }
  request(server, 'planlens/callers', about, function(_, answer)
    local listed = answer and answer.callers or {}
    table.insert(listed, 1, { title = 'all callers' })
    local function shown(each) return (each.isChosen and '* ' or '') .. each.title end
    vim.ui.select(listed, { prompt = 'Show the module as called by', format_item = shown }, function(each)
      if each then
        M.command('setCaller', { vim.tbl_extend('error', about, { root = each.root, instance = each.instance }) })
      end
    end)
  end)
end

-- Plans as if the resource at the cursor were replaced (whatIfReplaced), or nothing else meant (whatIfTargeted).
function M.what_if(name)
  local server = client(0)
  if server then
    M.command(name, { vim.lsp.util.make_position_params(0, server.offset_encoding) })
  end
end

return M
