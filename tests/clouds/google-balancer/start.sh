#!/bin/sh
exec web
